/*
 * The role `supervise`: starts a command again when it has died of a fault of its own.
 *
 * With --ended it is a pod's sidecar, which kubelet starts again whenever it ends. So when the command has ended for good it says so in that
 * file (ended.h) and stays until it is told to end. And it gives up a command that has never lived long, for else the pod would
 * stay in its start for ever: the pod fails with 70, and its Job counts that.
 */
#define _GNU_SOURCE
#include "common.h"
#include "ended.h"
#include "runner.h"
#include "tree.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    MINUTE_MS = 60000,
    PAUSE_MS = 200,
    MAX_PER_MINUTE = 1000,
    SHORT_LIFE_MS = 10000,
    MAX_SHORT_LIVES = 10 /* in a row, with --ended */
};
static const int HANDLED[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};

struct supervisor {
    char **command;
    const char *ended; /* NULL: nobody is told */
    int signals, per_minute, short_lives;
    int64_t *starts; /* ring of the last per_minute restarts */
    unsigned long long restarts;
    pid_t child;
    bool told_to_end;
};

/* Starts the command in its own process group, the terminal's foreground one if there is a terminal: Ctrl-C reaches it once. */
static pid_t start(struct supervisor *s) {
    pid_t pid = fork();
    if (pid != 0) return pid;
    bool terminal = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
    (void)setpgid(0, 0);
    if (terminal) {
        struct sigaction ignore = {.sa_handler = SIG_IGN};
        (void)sigaction(SIGTTOU, &ignore, NULL);
        (void)tcsetpgrp(STDIN_FILENO, getpid()); /* then it runs in the background, and may not read the terminal */
    }
    char count[32];
    snprintf(count, sizeof count, "%llu", s->restarts);
    if (setenv("FOREBAY_RESTARTS", count, 1) != 0 || (s->ended && setenv("FOREBAY_ENDED", s->ended, 1) != 0))
        _exit(fail(EXIT_OS, "setenv: %s", strerror(errno)));
    signals_reset();
    int code = exec_command(s->command, environ);
    _exit(fail(code, "cannot start %s: %s", s->command[0], strerror(errno)));
}

static void forward(struct supervisor *s, int signal) {
    if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT) s->told_to_end = true;
    if (s->child > 0) (void)kill(s->child, signal); /* ESRCH: it has just ended, which we hear next */
}

/* Handles signals for at most ms (-1: for ever) or until the command has ended; true then, with *status. */
static bool attend(struct supervisor *s, int64_t ms, int *status) {
    struct pollfd fd = {.fd = s->signals, .events = POLLIN};
    bool ended = false;
    if (poll(&fd, 1, (int)ms) < 0 && errno != EINTR) die("poll: %s", strerror(errno));
    for (int signal; (signal = signals_next(s->signals));)
        if (signal != SIGCHLD) forward(s, signal);
    for (pid_t pid; (pid = waitpid(-1, status, WNOHANG)) > 0;) {
        if (pid != s->child) continue; /* somebody's orphan, which ends here since we are its init */
        ended = true;
        s->child = 0;
        break;
    }
    return ended;
}

/* What its end means: our exit code, or -1: a fault of its own, start it again. */
static int verdict(const struct supervisor *s, int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status) == EXIT_FAULT && !s->told_to_end ? -1 : WEXITSTATUS(status);
    int signal = WTERMSIG(status);
    return s->told_to_end || signal == SIGINT ? EXIT_SIGNAL + signal : -1; /* SIGINT: the user's Ctrl-C, before it could be handled */
}

/* Whether it has lived too briefly too often, to be asked once after each life. */
static bool hopeless(struct supervisor *s, int64_t life_ms) {
    s->short_lives = life_ms < SHORT_LIFE_MS ? s->short_lives + 1 : 0;
    return s->ended && s->short_lives >= MAX_SHORT_LIVES;
}

/* Waits as long as the limit asks; false: told to end meanwhile. */
static bool pause_before_restart(struct supervisor *s) {
    int64_t until = now_ms() + PAUSE_MS;
    int64_t *oldest = &s->starts[s->restarts % (unsigned)s->per_minute];
    if (*oldest && *oldest + MINUTE_MS > until) {
        until = *oldest + MINUTE_MS;
        say("%s has been started again %d times within a minute; waiting %lld s", s->command[0], s->per_minute,
            (long long)(until - now_ms() + 999) / 1000);
    }
    for (int64_t left; !s->told_to_end && (left = until - now_ms()) > 0;) {
        int status;
        (void)attend(s, left, &status);
    }
    *oldest = now_ms();
    return !s->told_to_end;
}

/* What the command left running is ours now; it would outlive its purpose. */
static void end_orphans(void) {
    struct processes all = {0};
    if (processes_read(&all))
        for (size_t i = 0; i < all.count; i++)
            if (all.list[i].parent == getpid()) (void)kill(all.list[i].pid, SIGTERM);
    processes_free(&all);
}

/* To the end for good, with its code. */
static int supervise(struct supervisor *s) {
    for (;;) {
        if (s->ended && !ended_forget(s->ended)) return EXIT_OS;
        int64_t began = now_ms();
        s->child = start(s);
        if (s->child < 0) return fail(EXIT_OS, "fork: %s", strerror(errno));
        int status = 0;
        while (!attend(s, -1, &status)) {}
        int code = verdict(s, status);
        if (code >= 0) return code;
        if (hopeless(s, now_ms() - began))
            return fail(EXIT_FAULT, "%s has ended %d times in a row within %d s of its start; giving up", s->command[0], MAX_SHORT_LIVES,
                        SHORT_LIFE_MS / 1000);
        if (WIFSIGNALED(status)) say("%s was killed by signal %d (%s); starting it again", s->command[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
        else say("%s ended with %d, a fault of its own; starting it again", s->command[0], WEXITSTATUS(status));
        if (!pause_before_restart(s)) return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
        s->restarts++;
    }
}

/* Tells the others, and stays for as long as they need; gives the exit code. */
static int tell(struct supervisor *s, int code) {
    if (code == EXIT_DONE && ended_code(s->ended) != EXIT_DONE)
        code = fail(EXIT_FAULT, "%s has ended with 0 and not said in %s that all is durable: this is no success", s->command[0], s->ended);
    if (code != EXIT_DONE && !ended_write(s->ended, code)) return code; /* kubelet starts us again, and it may work then */
    while (!s->told_to_end) {
        int status;
        (void)attend(s, -1, &status);
    }
    return code;
}

int role_supervise(int argc, char **argv) {
    struct supervisor s = {.per_minute = 5};
    while (argc >= 2 && strcmp(argv[0], "--") != 0) {
        if (strcmp(argv[0], "--max-restarts-per-minute") == 0) s.per_minute = (int)parse_number(argv[1], MAX_PER_MINUTE);
        else if (strcmp(argv[0], "--ended") == 0) s.ended = argv[1];
        else break;
        argc -= 2;
        argv += 2;
    }
    if (argc < 2 || strcmp(argv[0], "--") != 0 || s.per_minute < 1)
        return fail(EXIT_USAGE, "usage: supervise [--max-restarts-per-minute 1..%d] [--ended FILE] -- COMMAND...", MAX_PER_MINUTE);
    s.command = argv + 1;
    s.starts = must_alloc((size_t)s.per_minute * sizeof *s.starts);
    s.signals = signals_open(HANDLED, sizeof HANDLED / sizeof *HANDLED);
    if (s.signals < 0) return fail(EXIT_OS, "signalfd: %s", strerror(errno));
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) say("prctl: %s; orphans go elsewhere", strerror(errno));
    int code = supervise(&s);
    end_orphans();
    if (s.ended) code = tell(&s, code);
    close(s.signals);
    free(s.starts);
    return code;
}
