/* Shared by the roles of forebay-step: exit codes, messages, time, byte buffers, signals. */
#ifndef FOREBAY_COMMON_H
#define FOREBAY_COMMON_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* Exit codes of the program itself (sysexits.h where it has a word). A command's own end is told in END, never by these. */
enum {
    EXIT_DONE = 0,         /* step: told to go (BYE); commit: the answer; supervise: the program's own code */
    EXIT_USAGE = 64,       /* wrong arguments */
    EXIT_UNAVAILABLE = 69, /* the engine did not come (back) within --wait */
    EXIT_FAULT = 70,       /* a fault of Forebay's own */
    EXIT_OS = 71,          /* the system refused something that must work: fork, pipe, memory */
    EXIT_TAKEN = 75,       /* another runner holds --lock */
    EXIT_REFUSED = 76,     /* the engine refuses this runner for good: version, name */
    EXIT_TOKEN = 77,       /* the engine refuses the token */
    EXIT_CANNOT_RUN = 126, /* supervise: found, but not to be run (as shells) */
    EXIT_NOT_FOUND = 127,  /* supervise: no such program (as shells) */
    EXIT_SIGNAL = 128      /* + the signal that ended it */
};

/* "forebay-step: text" on stderr in one write; the message ends in what the system said where errno matters. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* As say, and gives the code back: return fail(EXIT_OS, "fork: %s", strerror(errno)). */
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For what cannot be answered otherwise (no memory): says it and ends the process with EXIT_OS. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

int64_t now_ms(void); /* monotonic */

void *must_alloc(size_t size);               /* zeroed; dies when there is none */
void *must_realloc(void *old, size_t size);
char *must_copy(const void *bytes, size_t length); /* NUL-terminated copy */
char *must_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Growing bytes. start..end is the content; what was taken from the front is dropped now and then. */
struct bytes {
    uint8_t *data;
    size_t start, end, room;
};
void bytes_add(struct bytes *b, const void *data, size_t length);
void bytes_reserve(struct bytes *b, size_t length);              /* room for that many more */
void bytes_wipe(struct bytes *b);                                /* if empty: overwrites what it held */
void bytes_take(struct bytes *b, size_t length); /* from the front */
void bytes_clear(struct bytes *b);               /* forgets the content, gives large room back */
void bytes_free(struct bytes *b);
static inline size_t bytes_size(const struct bytes *b) { return b->end - b->start; }
static inline uint8_t *bytes_at(struct bytes *b) { return b->data + b->start; }

/* Decimal 0..max; -1: it is none. */
long long parse_number(const char *text, long long max);

/* Blocks what this program handles and gives a signalfd for it; -1 with errno. */
int signals_open(const int *signals, size_t count);
/* One signal number; 0: none waiting. */
int signals_next(int fd);
/* For a forked child before exec: default actions, nothing blocked. */
void signals_reset(void);

/* Whole small file; -1 with errno. Always NUL-terminated. */
ssize_t read_file(const char *path, char *into, size_t room);

/* Runs argv with exactly this environment, searching PATH like a shell (a text without #! is given to /bin/sh). Returns only on
 * failure: 127 (not found) or 126 (found, cannot be run), errno set. */
int exec_command(char *const argv[], char *const environment[]);

#endif
