#define _GNU_SOURCE
#include "common.h"
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

enum { MINUTE_MS = 60000, PAUSE_MS = 200, MAX_PER_MINUTE = 1000 };
static const int HANDLED[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};

struct supervisor {
    char **command;
    int signals, per_minute;
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
    if (setenv("FOREBAY_RESTARTS", count, 1) != 0) _exit(fail(EXIT_OS, "setenv: %s", strerror(errno)));
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

static int supervise(struct supervisor *s) {
    for (;;) {
        s->child = start(s);
        if (s->child < 0) return fail(EXIT_OS, "fork: %s", strerror(errno));
        int status = 0;
        while (!attend(s, -1, &status)) {}
        int code = verdict(s, status);
        if (code >= 0) return code;
        if (WIFSIGNALED(status)) say("%s was killed by signal %d (%s); starting it again", s->command[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
        else say("%s ended with %d, a fault of its own; starting it again", s->command[0], WEXITSTATUS(status));
        if (!pause_before_restart(s)) return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
        s->restarts++;
    }
}

int role_supervise(int argc, char **argv) {
    struct supervisor s = {.per_minute = 5};
    if (argc >= 2 && strcmp(argv[0], "--max-restarts-per-minute") == 0) {
        s.per_minute = (int)parse_number(argv[1], MAX_PER_MINUTE);
        argc -= 2;
        argv += 2;
    }
    if (argc < 2 || strcmp(argv[0], "--") != 0 || s.per_minute < 1)
        return fail(EXIT_USAGE, "usage: supervise [--max-restarts-per-minute 1..%d] -- COMMAND...", MAX_PER_MINUTE);
    s.command = argv + 1;
    s.starts = must_alloc((size_t)s.per_minute * sizeof *s.starts);
    s.signals = signals_open(HANDLED, sizeof HANDLED / sizeof *HANDLED);
    if (s.signals < 0) return fail(EXIT_OS, "signalfd: %s", strerror(errno));
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) say("prctl: %s; orphans go elsewhere", strerror(errno));
    int code = supervise(&s);
    end_orphans();
    close(s.signals);
    free(s.starts);
    return code;
}
