#define _GNU_SOURCE
#include "keeper.h"

#include "fence.h"
#include "log.h"
#include "tree.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LAST_OUTPUT_MS = 500,   /* for what still holds the output pipe once all of the tree is gone */
    STUCK_STDOUT_MS = 5000, /* for our own standard output to take a dead command's last lines */
    NEVER = 1 << 30
};

struct keeper {
    const struct work *work;
    const struct keeper_setup *setup;
    int control, signals, output, start; /* start: the child's words until exec; -1 each: closed */
    pid_t child;
    bool started, child_ended, gone, killed; /* gone: no descendant is left; killed: by us */
    bool stopping;
    int64_t kill_at, began, ended_at; /* ms, monotonic; kill_at only if stopping */
    int status;
    size_t strays;
    unsigned long long ooms;
    int fault_exit; /* 126 or 127: it was never started */
    char problem[MAX_PROBLEM];
    struct log log;
    struct lines lines;
    uint64_t dropped;       /* bytes of output that the runner did not take, and does not know of yet */
    bool stdout_lost;
};

bool get_work(struct fields *f, struct work *w) {
    w->id = get_id(f);
    w->label = get_text(f);
    w->argv = get_list(f);
    w->environment = get_list(f);
    w->folder = get_text(f);
    w->readable = get_list(f);
    w->writable = get_list(f);
    w->log = get_text(f);
    w->memory_limit = get_u64(f);
    return get_all(f) && w->argv[0] != NULL;
}

void free_work(struct work *w) {
    free(w->id.step);
    free(w->label);
    free_list(w->argv);
    free_list(w->environment);
    free(w->folder);
    free_list(w->readable);
    free_list(w->writable);
    free(w->log);
}

static void add_problem(struct keeper *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_problem(struct keeper *k, const char *format, ...) {
    size_t used = strlen(k->problem);
    if (used && used < sizeof k->problem - 3) {
        memcpy(k->problem + used, "; ", 3);
        used += 2;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(k->problem + used, sizeof k->problem - used, format, args);
    va_end(args);
}

/* ---- the child, until exec */

struct fault {
    int exit;
    char text[1024];
};

static void child_fault(int fd, int code, const char *format, ...) __attribute__((format(printf, 3, 4), noreturn));
static void child_fault(int fd, int code, const char *format, ...) {
    struct fault fault = {.exit = code};
    va_list args;
    va_start(args, format);
    vsnprintf(fault.text, sizeof fault.text, format, args);
    va_end(args);
    ssize_t n = write(fd, &fault, sizeof fault); /* below PIPE_BUF: whole */
    (void)n;
    _exit(code);
}

static size_t length(char *const list[]) {
    size_t count = 0;
    while (list[count]) count++;
    return count;
}

/* Whether the list has a variable of the name that entry begins with. */
static bool has_name(char *const list[], const char *entry) {
    size_t name = strcspn(entry, "=") + 1;
    for (; *list; list++)
        if (strncmp(*list, entry, name) == 0) return true;
    return false;
}

/* The command's environment: what the engine says, beside what is the runner's own if it has one, and a PATH. */
static char **environment_of(const struct keeper *k) {
    char **given = k->work->environment, **own = environ;
    size_t count = length(given);
    char **all = must_alloc((count + length(own) + 2) * sizeof *all);
    memcpy(all, given, count * sizeof *all);
    for (; *own; own++)
        if ((k->setup->own_environment || strncmp(*own, "PATH=", 5) == 0) && strchr(*own, '=') && !has_name(given, *own))
            all[count++] = *own;
    all[count] = NULL;
    if (!has_name(all, "PATH=")) all[count++] = must_format("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    all[count] = NULL;
    return all;
}

static void run_child(const struct keeper *k, int tell, int output, pid_t keeper) __attribute__((noreturn));
static void run_child(const struct keeper *k, int tell, int output, pid_t keeper) {
    const struct work *w = k->work;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) child_fault(tell, 126, "prctl: %s", strerror(errno));
    if (getppid() != keeper) _exit(126);
    if (setsid() < 0) child_fault(tell, 126, "setsid: %s", strerror(errno));
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int empty[2];
    if (input < 0) { /* an image without /dev: the end of an empty pipe does as well */
        if (pipe2(empty, O_CLOEXEC) != 0) child_fault(tell, 126, "pipe: %s", strerror(errno));
        input = empty[0];
    }
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) child_fault(tell, 126, "dup2: %s", strerror(errno));
    if (setrlimit(RLIMIT_NOFILE, &k->setup->files) != 0) child_fault(tell, 126, "setrlimit: %s", strerror(errno));
    /* The first to be killed when memory runs out. /proc/self is ours again only once we may be looked at. */
    (void)prctl(PR_SET_DUMPABLE, 1);
    int oom = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (oom >= 0) {
        ssize_t n = write(oom, "1000", 4);
        (void)n; /* then it is as likely as the others */
        close(oom);
    }
    if (chdir(w->folder) != 0) child_fault(tell, 126, "cannot enter the working folder %s: %s", w->folder, strerror(errno));
    const char *what = "";
    if (fence_enter(k->setup->fences, w->readable, w->writable, &what) != 0)
        child_fault(tell, 126, "cannot confine the command (%s): %s", what, strerror(errno));
    signals_reset();
    int code = exec_command(w->argv, environment_of(k));
    child_fault(tell, code, code == 127 ? "%s: not found: %s" : "%s: cannot be run: %s", w->argv[0], strerror(errno));
}

static void start(struct keeper *k) {
    int output[2], tell[2];
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(tell, O_CLOEXEC) != 0) {
        k->fault_exit = 126;
        add_problem(k, "pipe: %s", strerror(errno));
        return;
    }
    pid_t self = getpid();
    k->child = fork();
    if (k->child == 0) run_child(k, tell[1], output[1], self);
    if (k->child < 0) {
        k->fault_exit = 126;
        add_problem(k, "fork: %s", strerror(errno));
    }
    close(output[1]);
    close(tell[1]);
    k->output = output[0];
    k->start = tell[0];
    if (fcntl(k->output, F_SETFL, O_NONBLOCK) != 0) die("fcntl: %s", strerror(errno));
}

/* ---- what may happen meanwhile */

/* Returns whether it was taken. Refused: the runner is gone, which the next poll shows; or it was only output. */
static bool tell(struct keeper *k, const struct bytes *message, bool may_drop) {
    if (k->control < 0) return false;
    return send(k->control, message->data + message->start, bytes_size(message), MSG_NOSIGNAL | (may_drop ? MSG_DONTWAIT : 0)) >= 0;
}

static void kill_all(struct keeper *k) {
    k->killed = true;
    if (!k->child_ended && k->child > 0) (void)kill(-k->child, SIGKILL); /* also where there is no /proc */
    tree_kill();
}

static void hear_control(struct keeper *k) {
    uint8_t message[64];
    ssize_t n = recv(k->control, message, sizeof message, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) { /* the runner is gone, so is the command */
        close(k->control);
        k->control = -1;
        k->stopping = true;
        k->kill_at = now_ms();
        return;
    }
    struct fields f = {.at = message + 1, .end = message + n};
    uint32_t grace = get_u32(&f);
    if (message[0] != KEEPER_STOP || !get_all(&f)) return;
    int64_t at = now_ms() + grace;
    if (!k->stopping || at < k->kill_at) k->kill_at = at;
    if (!k->stopping && grace) {
        if (k->child > 0 && !k->child_ended) (void)kill(-k->child, SIGTERM);
        (void)tree_signal(SIGTERM);
        (void)tree_signal(SIGCONT); /* what is stopped could not hear it */
    }
    k->stopping = true;
}

static void reap(struct keeper *k) {
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) k->gone = true; /* ECHILD */
        if (pid <= 0) break;
        if (pid == k->child) {
            k->child_ended = true;
            k->ended_at = now_ms();
            k->status = status;
        }
    }
}

static void hear_start(struct keeper *k) {
    struct fault fault;
    ssize_t n = read(k->start, &fault, sizeof fault);
    if (n < 0 && errno == EINTR) return;
    close(k->start);
    k->start = -1;
    if (n == (ssize_t)sizeof fault) {
        k->fault_exit = fault.exit;
        fault.text[sizeof fault.text - 1] = 0;
        add_problem(k, "%s", fault.text);
        return;
    }
    k->started = true;
    struct bytes message = {0};
    put_u8(&message, KEEPER_STARTED);
    tell(k, &message, false);
    bytes_free(&message);
}

static void hear_output(struct keeper *k) {
    uint8_t chunk[65536];
    ssize_t n = read(k->output, chunk, sizeof chunk);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        close(k->output);
        k->output = -1;
        return;
    }
    log_add(&k->log, chunk, (size_t)n);
    if (k->setup->output != OUTPUT_NONE) {
        lines_add(&k->lines, chunk, (size_t)n);
        lines_flush(&k->lines, false);
    }
}

/* Waits for and handles everything but output and the start; at most ms. Returns whether more (may be -1) is ready. */
static bool attend(struct keeper *k, struct pollfd *more, int64_t ms) {
    struct pollfd fds[3] = {{.fd = k->control, .events = POLLIN}, {.fd = k->signals, .events = POLLIN}, {.fd = -1}};
    if (more) fds[2] = *more;
    if (k->stopping && !k->gone) {
        int64_t left = k->kill_at - now_ms();
        if (left <= 0) {
            kill_all(k);
            k->kill_at = now_ms() + 100; /* again, for what was being born; it is gone soon, or asleep in the kernel */
            left = 100;
        }
        if (left < ms) ms = left;
    }
    int n = poll(fds, 3, (int)(ms > NEVER ? NEVER : ms));
    if (n < 0 && errno != EINTR) die("poll: %s", strerror(errno));
    if (n > 0 && fds[0].revents) hear_control(k);
    if (n > 0 && fds[1].revents) {
        while (signals_next(k->signals)) {} /* TERM and the like are the runner's business */
        reap(k);
    }
    return n > 0 && fds[2].revents;
}

/* ---- where lines go */

static void to_engine(void *context, const uint8_t *data, size_t length) {
    struct keeper *k = context;
    struct bytes message = {0};
    put_u8(&message, KEEPER_OUTPUT);
    put_u64(&message, k->dropped);
    bytes_add(&message, data, length);
    k->dropped = tell(k, &message, true) ? 0 : k->dropped + length;
    bytes_free(&message);
}

static void on_alarm(int signal) { (void)signal; }

/* Standard output may be a pipe that nobody empties; the descriptor is shared, so it stays blocking and an alarm ends the write. */
static void to_stdout(void *context, const uint8_t *data, size_t length) {
    struct keeper *k = context;
    const struct itimerval soon = {.it_value = {.tv_usec = 100000}}, off = {0};
    while (length && !k->stdout_lost) {
        if (k->gone && now_ms() - k->ended_at > STUCK_STDOUT_MS) k->stdout_lost = true;
        struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
        if (!attend(k, &out, 1000)) continue;
        (void)setitimer(ITIMER_REAL, &soon, NULL);
        ssize_t n = write(STDOUT_FILENO, data, length);
        int e = errno;
        (void)setitimer(ITIMER_REAL, &off, NULL);
        if (n > 0) {
            data += n;
            length -= (size_t)n;
        } else if (n == 0 || (e != EINTR && e != EAGAIN)) {
            k->stdout_lost = true; /* closed; the log has it all */
        }
    }
}

/* ---- the end */

static void tell_end(struct keeper *k) {
    struct rusage use;
    if (getrusage(RUSAGE_CHILDREN, &use) != 0) memset(&use, 0, sizeof use);
    bool signaled = k->child_ended && !k->fault_exit && WIFSIGNALED(k->status);
    int exit = k->fault_exit ? k->fault_exit : k->child_ended && WIFEXITED(k->status) ? WEXITSTATUS(k->status) : 0;
    int signal = signaled ? WTERMSIG(k->status) : 0;
    bool oom = (signal == SIGKILL || exit == EXIT_SIGNAL + SIGKILL) && !k->killed && oom_kills() > k->ooms;
    if (k->strays) add_problem(k, "ended %zu processes that it had left running", k->strays);
    if (k->log.fault) add_problem(k, "its log %s is not whole: %s", k->work->log, strerror(k->log.fault));
    uint8_t tail[MAX_TAIL];
    size_t length = log_tail(&k->log, tail);
    struct bytes m = {0};
    put_u8(&m, KEEPER_ENDED);
    put_u64(&m, k->dropped);
    put_u8(&m, (uint8_t)exit);
    put_u8(&m, (uint8_t)signal);
    put_u8(&m, oom ? END_OOM : 0);
    put_u64(&m, (uint64_t)(k->ended_at - k->began));
    put_u64(&m, (uint64_t)use.ru_utime.tv_sec * 1000 + (uint64_t)use.ru_utime.tv_usec / 1000);
    put_u64(&m, (uint64_t)use.ru_stime.tv_sec * 1000 + (uint64_t)use.ru_stime.tv_usec / 1000);
    put_u64(&m, (uint64_t)use.ru_maxrss * 1024);
    put_data(&m, tail, length);
    put_text(&m, k->problem);
    tell(k, &m, false);
    bytes_free(&m);
}

static void watch(struct keeper *k) {
    while (!k->child_ended && k->child > 0) {
        struct pollfd fd = {.fd = k->start >= 0 ? k->start : k->output, .events = POLLIN};
        if (!attend(k, &fd, NEVER)) continue;
        if (k->start >= 0) hear_start(k);
        else hear_output(k);
    }
    if (k->start >= 0 && k->child > 0) hear_start(k); /* it ended before we had looked */
}

static void end_tree(struct keeper *k) {
    reap(k);
    if (!k->gone && !k->stopping) {
        struct processes all = {0};
        if (processes_read(&all)) {
            bool *mark = must_alloc(all.count * sizeof *mark);
            processes_below(&all, getpid(), mark);
            for (size_t i = 0; i < all.count; i++) k->strays += mark[i] && all.list[i].state != 'Z';
            free(mark);
        }
        processes_free(&all);
        k->stopping = true;
        k->kill_at = now_ms();
    }
    while (!k->gone) { /* its output pipe may be full meanwhile */
        struct pollfd fd = {.fd = k->output, .events = POLLIN};
        if (attend(k, &fd, NEVER)) hear_output(k);
    }
}

static void last_output(struct keeper *k) {
    int64_t until = now_ms() + LAST_OUTPUT_MS;
    while (k->output >= 0 && now_ms() < until) {
        struct pollfd fd = {.fd = k->output, .events = POLLIN};
        if (poll(&fd, 1, (int)LAST_OUTPUT_MS) > 0) hear_output(k);
    }
    if (k->output >= 0) add_problem(k, "a process that is not its own still holds its output");
    if (k->setup->output != OUTPUT_NONE) lines_flush(&k->lines, true);
}

void keeper_run(const struct work *work, const struct keeper_setup *setup) {
    static const int handled[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    struct keeper *k = must_alloc(sizeof *k);
    k->work = work;
    k->setup = setup;
    k->control = setup->control;
    k->output = k->start = -1;
    k->began = k->ended_at = now_ms();
    k->ooms = oom_kills();
    (void)setpgid(0, 0); /* whoever kills the runner's group leaves us to end the command */
    struct sigaction alarm_action = {.sa_handler = on_alarm};
    if (sigaction(SIGALRM, &alarm_action, NULL) != 0) die("sigaction: %s", strerror(errno));
    k->signals = signals_open(handled, sizeof handled / sizeof *handled);
    if (k->signals < 0) die("signalfd: %s", strerror(errno));
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) add_problem(k, "no subreaper here: %s", strerror(errno));
    log_open(&k->log, work->log);
    lines_open(&k->lines, work->label, setup->output == OUTPUT_ENGINE ? to_engine : to_stdout, k);

    start(k);
    watch(k);
    end_tree(k);
    last_output(k);
    log_close(&k->log);
    tell_end(k);
    _exit(0);
}
