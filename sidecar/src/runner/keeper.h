/* One command and every process that comes of it, kept by a process of its own. */
#ifndef FOREBAY_KEEPER_H
#define FOREBAY_KEEPER_H

#include "protocol.h"

#include <sys/resource.h>

/* What WORK asks for. */
struct work {
    struct command_id id;
    char *label, **argv, **environment, *folder, **readable, **writable, *log;
    uint64_t memory_limit; /* bytes; 0: none */
};
bool get_work(struct fields *f, struct work *work); /* false: not a WORK; free it in either case */
void free_work(struct work *work);

enum output { OUTPUT_OWN, OUTPUT_ENGINE, OUTPUT_NONE };

struct keeper_setup {
    int control;          /* SOCK_SEQPACKET to the runner */
    enum output output;   /* where lines go: own standard output, the engine, nowhere */
    bool own_environment; /* commands get the runner's own variables too: those of its image */
    char **fences;
    struct rlimit files;  /* RLIMIT_NOFILE for the command */
};

/* Messages on the control socket: first byte, then what is said. From the runner: */
enum { KEEPER_STOP = 'S' };     /* u32 grace in ms */
/* To the runner: */
enum {
    KEEPER_STARTED = 'B',
    KEEPER_OUTPUT = 'O',        /* u64 bytes dropped before it; bytes */
    KEEPER_ENDED = 'E',         /* u64 bytes of output dropped since; u8 exit, signal, flags; u64 wall, user, system ms, peak bytes; text tail, problem */
    KEEPER_TEXT = 'T',          /* a helper's: u64 count, text problem */
    KEEPER_MESSAGE = 32 * 1024  /* longest */
};

/*
 * Runs the command and does not return: to be called in a forked process, which exits 0.
 *
 * 1 start it in a session of its own; 2 pass on what it writes; 3 when it ends, or is stopped, or the runner is gone: end all
 * its descendants (they are this process's children once their parents died); 4 tell the end, with all their times.
 */
void keeper_run(const struct work *work, const struct keeper_setup *setup) __attribute__((noreturn));

#endif
