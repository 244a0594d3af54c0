/* What the runner does for the engine as the owner of a step's files. */
#ifndef FOREBAY_FILES_H
#define FOREBAY_FILES_H

#include "protocol.h"

/* Whether a read lease could be had: then nothing has the file open for writing or mapped writably. *why: static or errno's text. */
enum lease_answer lease_check(const char *path, const char **why);

/* Both answer with how many entries they changed and the first problem (empty: none; for free()). */
struct outcome {
    uint64_t count;
    char *problem;
};

/*
 * Makes what a step left below the folders readable, and removable, for the engine: it has another uid and shares the group of
 * the folders. Files that it could not read get that group and g+rw (g+x as u+x); folders g+rwx. Before each change
 * "dev ino old new path\0" (modes octal) is added to modes_file, so that the true mode survives a crash of ours.
 * Nothing to do where the folders are our own. Symbolic links are not followed.
 */
struct outcome handover(char **folders, const char *modes_file);

/* Empties the folders (they stay), whatever modes a dead attempt left in them. */
struct outcome clean(char **folders);

#endif
