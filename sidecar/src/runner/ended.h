/*
 * The file by which `supervise --ended FILE` tells the other containers of a pod that its command has ended for good: its exit
 * code, decimal, and a newline. It appears whole, under its name by rename, readable to every user, and tells of the command's last life:
 * it is removed before each start.
 *
 * Who writes what, so that success is never said falsely: 0 is written by the command itself (FOREBAY_ENDED in its environment names
 * the file), when all that it held is durable. A process that ends with 0 has proven nothing: `java --version` in somebody's
 * JDK_JAVA_OPTIONS, or --help, ends with 0 as well. So supervise never writes 0: it makes 70 of a 0 that the command has not
 * written, and leaves one that it has. Every other code is a failure, which supervise may tell for a command that could not.
 */
#ifndef FOREBAY_ENDED_H
#define FOREBAY_ENDED_H

#include <stdbool.h>

enum { ENDED_NOT = -1, ENDED_UNREADABLE = -2 };

/* 0..255; ENDED_NOT: it is not there; ENDED_UNREADABLE: it says no exit code, or may not be read (said, with why). */
int ended_code(const char *file);
/* Whether it is there, whatever it says; for those who may not read it. NULL: never. */
bool ended_there(const char *file);
/* false: said why not. */
bool ended_write(const char *file, int code);
bool ended_forget(const char *file);

#endif
