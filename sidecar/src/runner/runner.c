/*
 * The role `step`: one connection to the engine, a keeper process per command, a helper process per walk over files.
 *
 * Commands go on while the engine is away; their ends are kept until it has acknowledged them. The loop below waits for the
 * engine, for the keepers and helpers (a control socket each), and for signals; nothing in it blocks.
 *
 * With --ended it is a container that kubelet starts again whenever it ends, and whose successors (the steps behind it, commit) kubelet
 * starts only while it runs. So it ends when it is told to by a signal, and not when the engine says BYE or has ended for good: then
 * it stops its commands, forgets them, and looks for a new engine as if it had just been started.
 */
#define _GNU_SOURCE
#include "ended.h"
#include "fence.h"
#include "files.h"
#include "keeper.h"
#include "protocol.h"
#include "runner.h"
#include "tree.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FIRST_PAUSE_MS = 50,          /* between attempts to connect; doubles */
    LONGEST_PAUSE_MS = 1000,
    WELCOME_MS = 30000,           /* for the engine to answer HELLO */
    LAST_ACKS_MS = 5000,          /* for acknowledgements before leaving */
    SAMPLE_MS = 1000,             /* between looks at the commands' memory */
    ABANDONED_GRACE_MS = 10000,   /* SIGTERM to SIGKILL when the engine never came back */
    STRAYS_MS = 5000,             /* how long orphans of a killed keeper are hunted */
    MAX_SLOTS = 4096,
    MAX_HELPERS = 16,
    OUTPUT_QUEUE = 256 * 1024,    /* bytes not yet taken by the engine: beyond, its display loses lines (the log does not) */
    ANSWER_QUEUE = 1024 * 1024    /* ... beyond, its questions wait */
};

struct end {
    uint8_t exit, signal, flags;
    uint64_t wall, user, system, peak;
    uint8_t *tail;
    uint32_t tail_length;
    char *problem;
};

enum task_kind { COMMAND, HELPER };

struct task {
    enum task_kind kind;
    struct command_id id;   /* COMMAND */
    uint64_t request;       /* HELPER: what it answers, on that connection */
    unsigned connection;
    pid_t pid;              /* 0: reaped */
    int control;            /* -1: closed */
    bool started, ended, lost;
    int status;             /* of the keeper, once reaped */
    uint64_t memory_limit, peak;
    uint64_t dropped;       /* bytes of output that the engine was not sent, and not told of yet */
    struct end end;
};

struct runner {
    const char *step, *seat, *socket, *token_file, *lock_file, *ended;
    char *token;
    char instance[33];
    long long slots, wait_ms, grace_ms;
    enum output output;
    bool own_environment;
    struct link link;
    unsigned connection;    /* how many there have been */
    enum { DOWN, GREETED, UP } state;
    int64_t state_since, next_try, pause;
    bool said_waiting;
    bool told_to_end;       /* by a signal */
    int signals;
    struct rlimit files;
    struct task *tasks;
    size_t count, room, running, helpers;
    char **fences;
    char *notes;
    int leaving;            /* 0: no; else the exit code + 1 */
    int64_t leave_by;       /* once nothing runs any more: when acknowledgements are no longer waited for; 0: not yet */
    int64_t last_sample, strays_until;
};

/* ---- saying things to the engine */

static void send_id(struct runner *r, enum frame type, const struct command_id *id) {
    size_t at = frame_begin(&r->link.out, type);
    put_id(&r->link.out, id);
    frame_end(&r->link.out, at);
}

static void send_output(struct runner *r, struct task *t, const uint8_t *data, size_t length) {
    size_t at = frame_begin(&r->link.out, OUTPUT);
    put_id(&r->link.out, &t->id);
    put_u64(&r->link.out, t->dropped);
    put_data(&r->link.out, data, length);
    frame_end(&r->link.out, at);
    t->dropped = 0;
}

static void send_end(struct runner *r, struct task *t) {
    const struct command_id *id = &t->id;
    const struct end *end = &t->end;
    if (t->dropped) send_output(r, t, (const uint8_t *)"", 0);
    struct bytes *b = &r->link.out;
    size_t at = frame_begin(b, END);
    put_id(b, id);
    put_u8(b, end->exit);
    put_u8(b, end->signal);
    put_u8(b, end->flags);
    put_u64(b, end->wall);
    put_u64(b, end->user);
    put_u64(b, end->system);
    put_u64(b, end->peak);
    put_data(b, end->tail, end->tail_length);
    put_text(b, end->problem);
    frame_end(b, at);
}

static void send_done(struct runner *r, uint64_t request, uint64_t count, const char *problem) {
    size_t at = frame_begin(&r->link.out, DONE);
    put_u64(&r->link.out, request);
    put_u64(&r->link.out, count);
    put_text(&r->link.out, problem);
    frame_end(&r->link.out, at);
}

static void send_text(struct runner *r, enum frame type, const char *text) {
    size_t at = frame_begin(&r->link.out, type);
    put_text(&r->link.out, text);
    frame_end(&r->link.out, at);
}

static void send_hello(struct runner *r) {
    struct bytes *b = &r->link.out;
    bytes_reserve(b, 4096); /* so that the token is in one place, which WELCOME wipes: forked children have copies of our memory */
    size_t at = frame_begin(b, HELLO);
    put_u32(b, PROTOCOL_MAGIC);
    put_u16(b, PROTOCOL_VERSION);
    put_u8(b, ROLE_STEP);
    put_text(b, r->token);
    put_text(b, r->seat);
    put_text(b, r->step);
    put_u32(b, (uint32_t)r->slots);
    put_u64(b, (uint64_t)getpid());
    put_text(b, r->instance);
    put_u32(b, (uint32_t)fence_version());
    put_text(b, r->notes);
    frame_end(b, at);
}

static void announce(struct runner *r) {
    for (size_t i = 0; i < r->count; i++) {
        struct task *t = &r->tasks[i];
        if (t->kind != COMMAND) continue;
        if (t->ended) send_end(r, t);
        else send_id(r, RUNNING, &t->id);
    }
    size_t at = frame_begin(&r->link.out, ANNOUNCED);
    frame_end(&r->link.out, at);
    if (r->leaving) {
        at = frame_begin(&r->link.out, LEAVING);
        frame_end(&r->link.out, at);
    }
}

/* ---- tasks */

static struct task *find(struct runner *r, const struct command_id *id) {
    for (size_t i = 0; i < r->count; i++)
        if (r->tasks[i].kind == COMMAND && same_id(&r->tasks[i].id, id)) return &r->tasks[i];
    return NULL;
}

static struct task *add_task(struct runner *r, enum task_kind kind) {
    if (r->count == r->room) {
        r->room = r->room ? r->room * 2 : 16;
        r->tasks = must_realloc(r->tasks, r->room * sizeof *r->tasks);
    }
    struct task *t = &r->tasks[r->count++];
    memset(t, 0, sizeof *t);
    t->kind = kind;
    t->control = -1;
    return t;
}

static void free_task(struct task *t) {
    if (t->control >= 0) close(t->control);
    free(t->id.step);
    free(t->end.tail);
    free(t->end.problem);
}

static void remove_task(struct runner *r, struct task *t) {
    free_task(t);
    size_t i = (size_t)(t - r->tasks);
    r->tasks[i] = r->tasks[--r->count];
}

static void task_ended(struct runner *r, struct task *t) {
    t->ended = true;
    r->running--;
    if (t->peak > t->end.peak) t->end.peak = t->peak;
    if (t->memory_limit && t->end.peak > t->memory_limit) {
        char *more = must_format("%s%sused %llu MiB of memory, more than its limit of %llu MiB", t->end.problem,
                                 *t->end.problem ? "; " : "", (unsigned long long)(t->end.peak >> 20),
                                 (unsigned long long)(t->memory_limit >> 20));
        free(t->end.problem);
        t->end.problem = more;
    }
    if (r->state == UP) send_end(r, t);
}

static void end_unstarted(struct runner *r, struct task *t, uint8_t flags, char *problem) {
    t->end = (struct end){.exit = flags & END_LOST ? 0 : EXIT_CANNOT_RUN, .flags = flags, .problem = problem};
    task_ended(r, t);
}

static void stop_task(struct task *t, int64_t grace) {
    struct bytes message = {0};
    put_u8(&message, KEEPER_STOP);
    put_u32(&message, grace > UINT32_MAX ? UINT32_MAX : (uint32_t)grace);
    if (t->control >= 0) (void)send(t->control, message.data + message.start, bytes_size(&message), MSG_NOSIGNAL | MSG_DONTWAIT);
    bytes_free(&message); /* refused: the keeper is ending */
}

static void stop_all(struct runner *r, int64_t grace) {
    for (size_t i = 0; i < r->count; i++)
        if (r->tasks[i].kind == COMMAND && !r->tasks[i].ended) stop_task(&r->tasks[i], grace);
}

/* In a forked child: what is the runner's alone. */
static void drop_inherited(struct runner *r) {
    if (r->link.fd >= 0) close(r->link.fd); /* else the engine would not see the runner's death */
    close(r->signals);
    for (size_t i = 0; i < r->count; i++)
        if (r->tasks[i].control >= 0) close(r->tasks[i].control);
    explicit_bzero(r->token, strlen(r->token));
}

/* Forks the process behind a task; in the child 0 with *control. In the parent its pid, or -1 with errno. */
static pid_t fork_task(struct runner *r, struct task *t, int *control) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        drop_inherited(r);
        close(pair[0]);
        *control = pair[1];
        return 0;
    }
    int e = errno;
    close(pair[1]);
    if (pid < 0) close(pair[0]);
    else {
        t->pid = pid;
        t->control = pair[0];
    }
    errno = e;
    return pid;
}

static void start_command(struct runner *r, struct work *w) {
    struct task *t = add_task(r, COMMAND);
    t->id = w->id;
    t->id.step = must_copy(w->id.step, strlen(w->id.step));
    t->memory_limit = w->memory_limit;
    size_t busy = r->running++;
    if (r->leaving || busy >= (size_t)r->slots || r->count > MAX_UNACKNOWLEDGED) {
        end_unstarted(r, t, END_LOST | END_UNSTARTED, must_format("not started: %s", r->leaving ? "the runner is leaving" : "no slot is free"));
        return;
    }
    struct keeper_setup setup = {.output = r->output, .own_environment = r->own_environment, .fences = r->fences, .files = r->files};
    pid_t pid = fork_task(r, t, &setup.control);
    if (pid == 0) keeper_run(w, &setup);
    if (pid < 0) end_unstarted(r, t, 0, must_format("cannot fork: %s", strerror(errno)));
}

static void start_helper(struct runner *r, uint64_t request, int type, char **folders, const char *modes_file) {
    struct task *t = add_task(r, HELPER);
    t->request = request;
    t->connection = r->connection;
    r->helpers++;
    int control;
    pid_t pid = fork_task(r, t, &control);
    if (pid == 0) {
        struct outcome o = type == HANDOVER ? handover(folders, modes_file) : clean(folders);
        struct bytes m = {0};
        put_u8(&m, KEEPER_TEXT);
        put_u64(&m, o.count);
        put_text(&m, o.problem);
        size_t length = bytes_size(&m);
        if (length > KEEPER_MESSAGE) { /* a path of a thousand folders */
            free(o.problem);
            bytes_clear(&m);
            put_u8(&m, KEEPER_TEXT);
            put_u64(&m, o.count);
            put_text(&m, "not all could be done, in a folder whose path is too long to be told");
            length = bytes_size(&m);
        }
        _exit(send(control, bytes_at(&m), length, MSG_NOSIGNAL) == (ssize_t)length ? 0 : EXIT_OS);
    }
    if (pid < 0) {
        char *problem = must_format("cannot fork: %s", strerror(errno));
        send_done(r, request, 0, problem);
        free(problem);
        r->helpers--;
        remove_task(r, t);
    }
}

/* ---- keepers and helpers speak */

static void get_end(struct fields *f, struct end *end) {
    end->exit = get_u8(f);
    end->signal = get_u8(f);
    end->flags = get_u8(f);
    end->wall = get_u64(f);
    end->user = get_u64(f);
    end->system = get_u64(f);
    end->peak = get_u64(f);
    end->tail_length = get_u32(f);
    if (end->tail_length > (size_t)(f->end - f->at)) {
        end->tail_length = 0;
        f->bad = true;
    }
    end->tail = (uint8_t *)must_copy(f->at, end->tail_length);
    f->at += end->tail_length;
    end->problem = get_text(f);
}

static void hunt_strays(struct runner *r) {
    struct processes all = {0};
    if (!processes_read(&all)) return;
    for (size_t i = 0; i < all.count; i++) {
        bool known = all.list[i].parent != getpid() || all.list[i].state == 'Z';
        for (size_t j = 0; !known && j < r->count; j++) known = r->tasks[j].pid == all.list[i].pid;
        if (!known) (void)kill(all.list[i].pid, SIGKILL);
    }
    processes_free(&all);
}

/* Its control socket has closed without a last word. */
static void died(struct runner *r, struct task *t) {
    close(t->control);
    t->control = -1;
    if (t->kind == HELPER) {
        if (r->state == UP && t->connection == r->connection) send_done(r, t->request, 0, "the helper process was killed");
        r->helpers--;
        t->ended = true;
        return;
    }
    r->strays_until = now_ms() + STRAYS_MS;
    hunt_strays(r);
    t->end = (struct end){.flags = END_LOST, .problem = must_format("the process that keeps the command was killed")};
    task_ended(r, t);
}

static void hear_task(struct runner *r, struct task *t) {
    static uint8_t message[KEEPER_MESSAGE + 1];
    ssize_t n = recv(t->control, message, sizeof message, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        died(r, t);
        return;
    }
    struct fields f = {.at = message + 1, .end = message + n};
    bool listening = r->state == UP;
    if (message[0] == KEEPER_STARTED) {
        t->started = true;
        if (listening) send_id(r, STARTED, &t->id);
    } else if (message[0] == KEEPER_OUTPUT) {
        uint64_t before = get_u64(&f); /* dropped on the way to us */
        size_t length = (size_t)(f.end - f.at);
        t->dropped += before;
        if (listening && bytes_size(&r->link.out) < OUTPUT_QUEUE) send_output(r, t, f.at, length);
        else t->dropped += length;
    } else if (message[0] == KEEPER_ENDED) {
        t->dropped += get_u64(&f);
        get_end(&f, &t->end);
        close(t->control);
        t->control = -1;
        task_ended(r, t);
    } else if (message[0] == KEEPER_TEXT) {
        uint64_t count = get_u64(&f);
        char *problem = get_text(&f);
        if (listening && t->connection == r->connection) send_done(r, t->request, count, problem);
        free(problem);
        close(t->control);
        t->control = -1;
        r->helpers--;
        t->ended = true;
    }
}

static void reap(struct runner *r) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        bool known = false;
        for (size_t i = 0; i < r->count && !known; i++) {
            if (r->tasks[i].pid != pid) continue;
            known = true;
            r->tasks[i].pid = 0;
        }
        if (!known && now_ms() < r->strays_until) hunt_strays(r); /* its children are ours now */
    }
    for (size_t i = r->count; i-- > 0;) /* helpers leave nothing behind */
        if (r->tasks[i].kind == HELPER && r->tasks[i].ended && !r->tasks[i].pid) remove_task(r, &r->tasks[i]);
}

static void sample_memory(struct runner *r) {
    if (!r->running || now_ms() - r->last_sample < SAMPLE_MS) return;
    int64_t began = now_ms();
    struct processes all = {0};
    if (processes_read(&all)) {
        for (size_t i = 0; i < r->count; i++) {
            struct task *t = &r->tasks[i];
            if (t->kind != COMMAND || t->ended || !t->pid) continue;
            uint64_t now = tree_memory(&all, t->pid);
            if (now > t->peak) t->peak = now;
        }
    }
    processes_free(&all);
    /* On a node of many thousand processes a look takes long: at most 2 % of the time. */
    r->last_sample = now_ms() + (now_ms() - began) * 50;
}

/* ---- the engine speaks */

static void leave(struct runner *r, int code, int64_t grace) {
    if (!r->leaving) {
        r->leaving = code + 1;
        if (r->state == UP) {
            size_t at = frame_begin(&r->link.out, LEAVING);
            frame_end(&r->link.out, at);
        }
    }
    stop_all(r, grace);
}

static bool hear_work(struct runner *r, struct fields *f) {
    struct work w;
    bool good = get_work(f, &w);
    struct task *t = good ? find(r, &w.id) : NULL;
    if (t && t->ended) send_end(r, t);
    else if (t && t->started) send_id(r, STARTED, &t->id);
    else if (good && !t) start_command(r, &w);
    free_work(&w);
    return good;
}

static bool hear_id(struct runner *r, int type, struct fields *f) {
    struct command_id id = get_id(f);
    uint32_t grace = type == STOP ? get_u32(f) : 0;
    bool good = get_all(f);
    struct task *t = good ? find(r, &id) : NULL;
    if (type == STOP && t && !t->ended) {
        stop_task(t, grace);
    } else if (type == ACK && good && (!t || t->ended)) {
        if (t) remove_task(r, t);
        send_id(r, FORGOTTEN, &id);
    }
    free(id.step);
    return good;
}

static bool hear_question(struct runner *r, int type, struct fields *f) {
    uint64_t request = get_u64(f);
    bool good;
    if (type == LEASE) {
        char *path = get_text(f);
        good = get_all(f);
        const char *why = "";
        enum lease_answer answer = good ? lease_check(path, &why) : LEASE_UNKNOWN;
        size_t at = frame_begin(&r->link.out, LEASE_ANSWER);
        put_u64(&r->link.out, request);
        put_u8(&r->link.out, (uint8_t)answer);
        put_text(&r->link.out, why);
        frame_end(&r->link.out, at);
        free(path);
        return good;
    }
    char *modes_file = type == HANDOVER ? get_text(f) : NULL;
    char **folders = get_list(f);
    good = get_all(f);
    if (good) start_helper(r, request, type, folders, modes_file);
    free(modes_file);
    free_list(folders);
    return good;
}

static bool hear_welcome(struct runner *r, struct fields *f) {
    (void)get_u16(f); /* its version: it has accepted ours */
    char **folders = get_list(f);
    bool good = get_all(f) && r->state == GREETED;
    if (good) {
        char *why;
        bytes_wipe(&r->link.out);
        free_list(r->fences);
        r->fences = fence_usable(folders, &why);
        r->state = UP;
        r->pause = FIRST_PAUSE_MS;
        r->said_waiting = false;
        announce(r);
        if (why) send_text(r, NOTE, why);
        free(why);
    }
    free_list(folders);
    return good;
}

/* false: the engine breaks the protocol. */
static bool hear(struct runner *r, int type, struct fields *f) {
    if (type == REFUSED) {
        uint8_t kind = get_u8(f);
        char *why = get_text(f);
        if (kind != REFUSED_NOW && !f->bad) {
            say("the engine refuses this runner: %s", why);
            leave(r, kind == REFUSED_TOKEN ? EXIT_TOKEN : EXIT_REFUSED, ABANDONED_GRACE_MS);
        }
        free(why);
        return false; /* it hangs up after that */
    }
    if (type == WELCOME) return hear_welcome(r, f);
    if (r->state != UP) return false;
    switch (type) {
    case WORK: return hear_work(r, f);
    case STOP:
    case ACK: return hear_id(r, type, f);
    case LEASE:
    case HANDOVER:
    case CLEAN: return hear_question(r, type, f);
    case BYE: {
        uint32_t grace = get_u32(f);
        if (!get_all(f)) return false;
        leave(r, EXIT_DONE, grace);
        return true;
    }
    default: return false;
    }
}

/* ---- the connection */

static void disconnect(struct runner *r, const char *why) {
    if (r->state == UP && !r->leaving) say("the connection to the engine is gone (%s); %zu commands go on", why, r->running);
    link_close(&r->link);
    if (r->state == UP) r->state_since = now_ms();
    r->state = DOWN;
    r->next_try = now_ms() + r->pause;
    if (r->pause < LONGEST_PAUSE_MS) r->pause *= 2;
}

/* Nobody takes what the commands compute any more, unless the engine's container is started again. */
static void engine_has_ended(struct runner *r) {
    if (!r->said_waiting) say("the engine has ended for good; waiting to be told to end%s", r->running ? ", with what runs stopped" : "");
    r->said_waiting = true;
    r->state_since = now_ms(); /* this is no absence to be measured by --wait */
    if (r->running && !r->leaving) leave(r, EXIT_DONE, ABANDONED_GRACE_MS);
}

static void connect_again(struct runner *r) {
    r->link.fd = link_connect(r->socket);
    if (r->link.fd < 0) {
        int why = errno;
        if (ended_there(r->ended)) engine_has_ended(r);
        errno = why;
        if (!r->said_waiting) say("waiting for the engine at %s: %s", r->socket, strerror(errno));
        r->said_waiting = true;
        r->next_try = now_ms() + r->pause;
        if (r->pause < LONGEST_PAUSE_MS) r->pause *= 2;
        return;
    }
    r->connection++;
    r->state = GREETED;
    r->next_try = now_ms() + WELCOME_MS;
    send_hello(r);
}

static bool may_hear(const struct runner *r) {
    return bytes_size(&r->link.out) < ANSWER_QUEUE && r->helpers < MAX_HELPERS;
}

static void talk(struct runner *r, short events) {
    if (events & (POLLIN | POLLHUP | POLLERR) && !link_read(&r->link)) {
        disconnect(r, errno ? strerror(errno) : "closed");
        return;
    }
    struct fields f;
    int type = 0;
    while (may_hear(r) && (type = link_next(&r->link, &f)) > 0) {
        if (!hear(r, type, &f)) {
            type = -1;
            break;
        }
        link_took(&r->link);
    }
    if (type < 0) disconnect(r, r->state == GREETED ? "refused" : "not our protocol");
    else if (!link_write(&r->link)) disconnect(r, strerror(errno));
}

/* ---- the loop */

static void hear_signals(struct runner *r) {
    for (int signal; (signal = signals_next(r->signals));) {
        if (signal == SIGCHLD) continue;
        bool again = r->leaving, idle = !r->running && ended_there(r->ended);
        r->told_to_end = true;
        if (!again) say("signal %d: stopping %zu commands", signal, r->running);
        leave(r, idle ? EXIT_DONE : EXIT_SIGNAL + signal, again ? 0 : r->grace_ms);
    }
    reap(r);
}

static size_t unacknowledged(const struct runner *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) n += r->tasks[i].kind == COMMAND && r->tasks[i].ended;
    return n;
}

/* Whether the program may end now. */
static bool left(struct runner *r) {
    if (!r->leaving || r->running) return false;
    bool acknowledged = r->leaving == EXIT_DONE + 1 || !unacknowledged(r); /* an engine that said BYE wants no more */
    if (acknowledged && !bytes_size(&r->link.out)) return true;
    if (r->leave_by == 0) r->leave_by = now_ms() + LAST_ACKS_MS;
    return r->state == DOWN || now_ms() >= r->leave_by;
}

static int64_t next_event(const struct runner *r) {
    int64_t now = now_ms(), at = now + 3600000;
    if (r->state != UP && r->next_try < at) at = r->next_try;
    if (r->state != UP && !r->leaving && r->state_since + r->wait_ms < at) at = r->state_since + r->wait_ms;
    if (r->running && r->last_sample + SAMPLE_MS < at) at = r->last_sample + SAMPLE_MS;
    if (r->leave_by && r->leave_by < at) at = r->leave_by;
    return at < now ? 0 : at - now;
}

static void poll_once(struct runner *r, struct pollfd *fds) {
    bool pending = false; /* whole frames that had to wait for room */
    fds[0] = (struct pollfd){.fd = r->signals, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = r->link.fd, .events = (short)((may_hear(r) ? POLLIN : 0) | (bytes_size(&r->link.out) ? POLLOUT : 0))};
    for (size_t i = 0; i < r->count; i++) fds[i + 2] = (struct pollfd){.fd = r->tasks[i].control, .events = POLLIN};
    if (r->link.fd >= 0 && may_hear(r)) {
        struct fields f;
        pending = link_next(&r->link, &f) != 0;
    }
    size_t count = r->count; /* tasks may be added meanwhile, none removed before their turn */
    if (poll(fds, count + 2, pending ? 0 : (int)next_event(r)) < 0 && errno != EINTR) die("poll: %s", strerror(errno));
    for (size_t i = 0; i < count; i++)
        if (fds[i + 2].revents && r->tasks[i].control >= 0) hear_task(r, &r->tasks[i]);
    if (fds[1].revents || pending) talk(r, fds[1].revents);
    if (fds[0].revents) hear_signals(r);
}

static int run(struct runner *r) {
    struct pollfd *fds = NULL;
    size_t room = 0;
    r->state_since = now_ms();
    for (;;) {
        if (r->link.fd >= 0 && !link_write(&r->link)) disconnect(r, strerror(errno));
        if (left(r)) break;
        if (r->state == DOWN && now_ms() >= r->next_try) connect_again(r);
        if (r->state == GREETED && now_ms() >= r->next_try) disconnect(r, "no answer");
        if (r->state != UP && !r->leaving && now_ms() - r->state_since >= r->wait_ms) {
            say("no engine at %s for %lld s; stopping %zu commands", r->socket, r->wait_ms / 1000, r->running);
            leave(r, EXIT_UNAVAILABLE, ABANDONED_GRACE_MS);
        }
        if (room < r->count + 2) {
            room = r->count + 64;
            fds = must_realloc(fds, room * sizeof *fds);
        }
        poll_once(r, fds);
        sample_memory(r);
    }
    free(fds);
    return r->leaving - 1;
}

/* ---- the start */

static int options(struct runner *r, int argc, char **argv) {
    static const char usage[] = "usage: step NAME --socket PATH --slots 1..4096 [--seat NAME] [--token-file FILE|-] [--wait SECONDS]"
                                " [--grace SECONDS] [--lock FILE] [--output own|engine|none] [--environment own|engine] [--ended FILE]";
    long long wait_s = 600, grace_s = 86400;
    if (argc < 1 || argc % 2 == 0) return fail(EXIT_USAGE, "%s", usage);
    r->step = r->seat = argv[0];
    r->own_environment = true;
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (strcmp(name, "--socket") == 0) r->socket = value;
        else if (strcmp(name, "--slots") == 0) r->slots = parse_number(value, MAX_SLOTS);
        else if (strcmp(name, "--seat") == 0) r->seat = value;
        else if (strcmp(name, "--token-file") == 0) r->token_file = value;
        else if (strcmp(name, "--wait") == 0) wait_s = parse_number(value, 1000000);
        else if (strcmp(name, "--grace") == 0) grace_s = parse_number(value, 1000000);
        else if (strcmp(name, "--lock") == 0) r->lock_file = value;
        else if (strcmp(name, "--ended") == 0) r->ended = value;
        else if (strcmp(name, "--output") == 0 && strcmp(value, "own") == 0) r->output = OUTPUT_OWN;
        else if (strcmp(name, "--output") == 0 && strcmp(value, "engine") == 0) r->output = OUTPUT_ENGINE;
        else if (strcmp(name, "--output") == 0 && strcmp(value, "none") == 0) r->output = OUTPUT_NONE;
        else if (strcmp(name, "--environment") == 0 && strcmp(value, "own") == 0) r->own_environment = true;
        else if (strcmp(name, "--environment") == 0 && strcmp(value, "engine") == 0) r->own_environment = false;
        else return fail(EXIT_USAGE, "step: not understood: %s %s\n%s", name, value, usage);
    }
    if (!r->socket || r->slots < 1 || wait_s < 0 || grace_s < 0) return fail(EXIT_USAGE, "%s", usage);
    r->wait_ms = wait_s * 1000;
    r->grace_ms = grace_s * 1000;
    return 0;
}

/* Held by this process and its keepers: whoever gets it next knows that nothing of this runner is alive. */
static int take_lock(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return fail(EXIT_OS, "open %s: %s", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? fail(EXIT_TAKEN, "another runner of this step is alive; it holds %s", path)
                                    : fail(EXIT_OS, "flock %s: %s", path, strerror(errno));
    return 0; /* the descriptor stays open */
}

static void close_strangers(void) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
#endif
    for (int fd = 3; fd < 1024; fd++) close(fd);
}

static int name_instance(struct runner *r) {
    uint8_t random[16];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return fail(EXIT_OS, "getrandom: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++) snprintf(r->instance + 2 * i, 3, "%02x", random[i]);
    return 0;
}

static int prepare(struct runner *r) {
    static const int handled[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    close_strangers();
    (void)setsid(); /* a terminal's Ctrl-C is the engine's business; refused: we lead a group already */
    if (name_instance(r) != 0) return EXIT_OS;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    /* IO: somebody opens a file for writing while we hold the lease. PIPE: our own standard output. */
    if (sigaction(SIGIO, &ignore, NULL) != 0 || sigaction(SIGPIPE, &ignore, NULL) != 0) return fail(EXIT_OS, "sigaction: %s", strerror(errno));
    r->signals = signals_open(handled, sizeof handled / sizeof *handled);
    if (r->signals < 0) return fail(EXIT_OS, "signalfd: %s", strerror(errno));
    if (getrlimit(RLIMIT_NOFILE, &r->files) != 0) return fail(EXIT_OS, "getrlimit: %s", strerror(errno));
    struct rlimit more = {.rlim_cur = r->files.rlim_max, .rlim_max = r->files.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &more) != 0) say("setrlimit: %s", strerror(errno));
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) say("prctl: %s", strerror(errno));
#ifndef FOREBAY_SANITIZE
    (void)prctl(PR_SET_DUMPABLE, 0); /* the commands have our uid: they may not read the token in our memory */
#endif
    struct processes all = {0};
    bool proc = processes_read(&all);
    processes_free(&all);
    r->notes = must_format("%s%s",
                           fence_version() >= 2 ? "" : "this kernel has no Landlock (needs Linux 5.19): commands are not kept out of other items' folders\n",
                           proc ? "" : "no /proc here: processes that leave their command's group may outlive it, memory is not watched\n");
    return 0;
}

static void forget_tasks(struct runner *r) {
    for (size_t i = 0; i < r->count; i++) free_task(&r->tasks[i]);
    r->count = r->helpers = 0;
}

/* As if it had just been started, but for the engine that has sent it away: that one needs a moment to end. */
static int begin_anew(struct runner *r) {
    link_close(&r->link);
    forget_tasks(r);
    r->state = DOWN;
    r->state_since = now_ms();
    r->next_try = r->state_since + LONGEST_PAUSE_MS;
    r->pause = LONGEST_PAUSE_MS;
    r->leaving = 0;
    r->leave_by = 0;
    return name_instance(r);
}

int role_step(int argc, char **argv) {
    struct runner r = {.link.fd = -1, .pause = FIRST_PAUSE_MS};
    int code = options(&r, argc, argv);
    if (code == 0 && !(r.token = token_read(r.token_file))) code = EXIT_USAGE;
    if (code == 0) code = prepare(&r);
    if (code == 0 && r.lock_file) code = take_lock(r.lock_file);
    if (code == 0) code = run(&r);
    while (code == EXIT_DONE && r.ended && !r.told_to_end) {
        code = begin_anew(&r);
        if (code == 0) code = run(&r);
    }
    link_close(&r.link);
    forget_tasks(&r);
    free(r.tasks);
    free_list(r.fences);
    free(r.notes);
    free(r.token);
    return code;
}
