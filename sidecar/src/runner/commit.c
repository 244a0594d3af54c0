/*
 * The role `commit`, a pod's one main container: its exit code is the pod's.
 *
 * Whatever it says was said by the engine: the answer on the socket, or, when the engine has ended for good and nobody listens, the
 * code in the file of --ended (see ended.h for why a 0 in there is the engine's own word). The socket is asked first. A 0 in the file is an
 * ordinary end: an engine with nothing to do may have ended before this container was started. It waits without limit for
 * anything else: supervise either starts the engine again or writes the file.
 */
#define _GNU_SOURCE
#include "ended.h"
#include "protocol.h"
#include "runner.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST_PAUSE_MS = 50, LONGEST_PAUSE_MS = 1000, GOT_MS = 2000 };

struct commit {
    const char *socket, *ended;
    char *token;
    struct link link;
    int signals;
    bool welcomed, drain, drain_sent;
    int code; /* -1: not answered */
};

static void send_empty(struct link *link, enum frame type) {
    size_t at = frame_begin(&link->out, type);
    frame_end(&link->out, at);
}

static void hello(struct commit *c) {
    struct bytes *b = &c->link.out;
    size_t at = frame_begin(b, HELLO);
    put_u32(b, PROTOCOL_MAGIC);
    put_u16(b, PROTOCOL_VERSION);
    put_u8(b, ROLE_COMMIT);
    put_text(b, c->token);
    put_text(b, "commit");
    put_text(b, "");
    put_u32(b, 0);
    put_u64(b, (uint64_t)getpid());
    put_text(b, "");
    put_u32(b, 0);
    put_text(b, "");
    frame_end(b, at);
    c->welcomed = c->drain_sent = false;
}

/* -1: go on; else the exit code of a refusal for good. */
static int hear(struct commit *c, int type, struct fields *f) {
    if (type == WELCOME) {
        c->welcomed = true;
    } else if (type == REFUSED) {
        uint8_t kind = get_u8(f);
        char *why = get_text(f);
        if (kind != REFUSED_NOW) say("the engine refuses this commit: %s", why);
        free(why);
        if (kind != REFUSED_NOW) return kind == REFUSED_TOKEN ? EXIT_TOKEN : EXIT_REFUSED;
    } else if (type == ANSWER) {
        uint8_t code = get_u8(f);
        if (get_all(f)) c->code = code;
    }
    return -1;
}

/* One connection, to its loss, the answer, or a refusal for good. */
static int talk(struct commit *c) {
    hello(c);
    while (c->code < 0) {
        if (c->welcomed && c->drain && !c->drain_sent) {
            send_empty(&c->link, DRAIN);
            c->drain_sent = true;
        }
        struct pollfd fds[2] = {{.fd = c->signals, .events = POLLIN},
                                {.fd = c->link.fd, .events = (short)(POLLIN | (bytes_size(&c->link.out) ? POLLOUT : 0))}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR) die("poll: %s", strerror(errno));
        while (signals_next(c->signals)) c->drain = true;
        if (fds[1].revents & ~POLLOUT && !link_read(&c->link)) return -1;
        if (!link_write(&c->link)) return -1;
        struct fields f;
        int type = 0;
        while (c->code < 0 && (type = link_next(&c->link, &f)) > 0) {
            int refused = hear(c, type, &f);
            if (refused >= 0) return refused;
            link_took(&c->link);
        }
        if (c->code < 0 && type < 0) return -1;
    }
    /* The engine may end once it knows that the answer has arrived. */
    send_empty(&c->link, GOT);
    struct pollfd fd = {.fd = c->link.fd, .events = POLLOUT};
    if (poll(&fd, 1, GOT_MS) > 0) (void)link_write(&c->link);
    return c->code;
}

/* Nobody listens: -1: wait; else the exit code. */
static int without_engine(const struct commit *c, int why, bool *said) {
    int code = c->ended ? ended_code(c->ended) : ENDED_NOT;
    if (code == ENDED_UNREADABLE) return EXIT_FAULT;
    if (code != ENDED_NOT) {
        if (code) say("commit: the engine has ended with %d, see the log of its container", code);
        return code;
    }
    if (!*said) say("commit: waiting for the engine at %s: %s", c->socket, strerror(why));
    *said = true;
    return -1;
}

int role_commit(int argc, char **argv) {
    static const int handled[] = {SIGTERM, SIGINT, SIGHUP};
    struct commit c = {.link.fd = -1, .code = -1};
    const char *token_file = NULL;
    for (int i = 0; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--socket") == 0) c.socket = argv[i + 1];
        else if (strcmp(argv[i], "--token-file") == 0) token_file = argv[i + 1];
        else if (strcmp(argv[i], "--ended") == 0) c.ended = argv[i + 1];
        else return fail(EXIT_USAGE, "commit: unknown option %s", argv[i]);
    }
    if (argc % 2 || !c.socket) return fail(EXIT_USAGE, "usage: commit --socket PATH [--token-file FILE|-] [--ended FILE]");
    if (!(c.token = token_read(token_file))) return EXIT_USAGE;
    c.signals = signals_open(handled, sizeof handled / sizeof *handled);
    if (c.signals < 0) return fail(EXIT_OS, "signalfd: %s", strerror(errno));
    int pause = FIRST_PAUSE_MS, code = -1;
    bool said = false;
    while (code < 0) {
        c.link.fd = link_connect(c.socket);
        if (c.link.fd >= 0) {
            code = talk(&c);
            if (c.welcomed) {
                pause = FIRST_PAUSE_MS;
                said = false;
            }
        } else {
            code = without_engine(&c, errno, &said);
        }
        link_close(&c.link);
        if (code >= 0) break;
        struct pollfd fd = {.fd = c.signals, .events = POLLIN};
        int64_t until = now_ms() + pause;
        for (int64_t left; (left = until - now_ms()) > 0;) {
            (void)poll(&fd, 1, (int)left);
            while (signals_next(c.signals)) c.drain = true;
        }
        if (pause < LONGEST_PAUSE_MS) pause *= 2;
    }
    close(c.signals);
    free(c.token);
    return code;
}
