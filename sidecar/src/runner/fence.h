/* Keeps a command out of folders that are not its own, with Landlock (Linux 5.19 or later). */
#ifndef FOREBAY_FENCE_H
#define FOREBAY_FENCE_H

#include "common.h"

/* The kernel's Landlock version; 0: none. At least 2 is needed (version 1 forbids every rename between folders). */
int fence_version(void);

/* Which of the folders can be fenced off, as real paths, for free_list(). What does not exist here needs no fence. Where a command could make files
 * beside a folder on the way to it (/dev/shm, /tmp, its home), a fence would forbid just that, for Landlock only knows what is allowed: such a
 * folder is left out, and *why says so (NULL: none). */
char **fence_usable(char **folders, char **why);

/* In the child, before exec. Outside of the fences everything stays as it is; inside, only what is listed. The child can signal nobody
 * outside either, where the kernel knows that. 0, or -1 with *what the step that failed and errno. */
int fence_enter(char **fences, char **readable, char **writable, const char **what);

#endif
