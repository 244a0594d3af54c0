#define _GNU_SOURCE
#include "common.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void vsay(const char *format, va_list args) {
    char text[2048];
    int at = snprintf(text, sizeof text, "forebay-step: ");
    int n = vsnprintf(text + at, sizeof text - (size_t)at - 1, format, args);
    if (n < 0) return;
    size_t length = (size_t)at + (size_t)n;
    if (length > sizeof text - 2) length = sizeof text - 2;
    text[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written; /* nobody is left to tell */
}

void say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsay(format, args);
    va_end(args);
}

int fail(int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsay(format, args);
    va_end(args);
    return code;
}

void die(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsay(format, args);
    va_end(args);
    _exit(EXIT_OS);
}

int64_t now_ms(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) die("clock: %s", strerror(errno));
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void *must_alloc(size_t size) {
    void *p = calloc(1, size ? size : 1);
    if (!p) die("no memory for %zu bytes", size);
    return p;
}

void *must_realloc(void *old, size_t size) {
    void *p = realloc(old, size ? size : 1);
    if (!p) die("no memory for %zu bytes", size);
    return p;
}

char *must_copy(const void *bytes, size_t length) {
    char *p = must_alloc(length + 1);
    if (length) memcpy(p, bytes, length);
    return p;
}

char *must_format(const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0 || !text) die("no memory for a message");
    return text;
}

void bytes_reserve(struct bytes *b, size_t length) {
    if (b->start && (b->start == b->end || b->start > 65536)) {
        memmove(b->data, b->data + b->start, b->end - b->start);
        b->end -= b->start;
        b->start = 0;
    }
    if (b->room - b->end < length) {
        size_t room = b->room ? b->room : 256;
        while (room - b->end < length) room *= 2;
        b->data = must_realloc(b->data, room);
        b->room = room;
    }
}

void bytes_wipe(struct bytes *b) {
    if (b->data && b->start == b->end) explicit_bzero(b->data, b->room);
}

void bytes_add(struct bytes *b, const void *data, size_t length) {
    if (!length) return;
    bytes_reserve(b, length);
    memcpy(b->data + b->end, data, length);
    b->end += length;
}

void bytes_take(struct bytes *b, size_t length) {
    b->start += length;
    if (b->start == b->end) bytes_clear(b);
}

void bytes_clear(struct bytes *b) {
    b->start = b->end = 0;
    if (b->room > 256 * 1024) bytes_free(b);
}

void bytes_free(struct bytes *b) {
    free(b->data);
    memset(b, 0, sizeof *b);
}

long long parse_number(const char *text, long long max) {
    long long value = 0;
    if (!*text) return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return -1;
        value = value * 10 + (*text - '0');
        if (value > max) return -1;
    }
    return value;
}

int signals_open(const int *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
    if (sigprocmask(SIG_SETMASK, &set, NULL) != 0) return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_next(int fd) {
    struct signalfd_siginfo info;
    ssize_t n = read(fd, &info, sizeof info);
    return n == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

void signals_reset(void) {
    /* The kernel's struct sigaction, all zeros: SIG_DFL. The C library's function refuses the two signals that it uses itself. */
    static const uint64_t standard[8];
    for (int s = 1; s <= 64; s++) (void)syscall(SYS_rt_sigaction, s, standard, NULL, (size_t)8); /* KILL and STOP refuse */
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL); /* cannot fail with these arguments */
}

ssize_t read_file(const char *path, char *into, size_t room) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return -1;
    size_t at = 0;
    while (at < room - 1) {
        ssize_t n = read(fd, into + at, room - 1 - at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            int e = errno;
            close(fd);
            errno = e;
            return -1;
        }
        if (n == 0) break;
        at += (size_t)n;
    }
    close(fd);
    into[at] = 0;
    return (ssize_t)at;
}

static void exec_one(const char *path, char *const argv[], char *const environment[]) {
    execve(path, argv, environment);
    if (errno != ENOEXEC) return;
    size_t count = 0;
    while (argv[count]) count++;
    char **script = must_alloc((count + 2) * sizeof *script);
    script[0] = "/bin/sh";
    script[1] = (char *)path;
    for (size_t i = 1; i < count; i++) script[i + 1] = argv[i];
    execve(script[0], script, environment);
    free(script);
    errno = ENOEXEC;
}

int exec_command(char *const argv[], char *const environment[]) {
    const char *name = argv[0];
    if (!*name) {
        errno = ENOENT;
        return EXIT_NOT_FOUND;
    }
    if (strchr(name, '/')) {
        exec_one(name, argv, environment);
        return errno == ENOENT || errno == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    }
    const char *path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    for (char *const *e = environment; *e; e++)
        if (strncmp(*e, "PATH=", 5) == 0) path = *e + 5;
    int best = ENOENT;
    for (const char *p = path;; p++) {
        const char *end = strchrnul(p, ':');
        char *candidate = must_format("%.*s%s%s", (int)(end - p), p, end == p ? "" : "/", name);
        exec_one(candidate, argv, environment);
        struct stat found;
        /* A folder of PATH that may not be searched gives EACCES too, but nothing was found there. */
        if (errno != ENOENT && errno != ENOTDIR) {
            int e = errno;
            if (stat(candidate, &found) == 0 && !S_ISDIR(found.st_mode) && best == ENOENT) best = e;
        }
        free(candidate);
        if (!*end) break;
        p = end;
    }
    errno = best;
    return best == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}
