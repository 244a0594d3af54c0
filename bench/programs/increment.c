/* The task of the incrementation experiment (Hayot-Sasson, Brown, Glatard 2019), on bytes: IN + 1 goes to WORK/1, that + 1 to
 * WORK/2, ..., the N-th to OUT; after each it sleeps DELAY seconds, a stand-in for computation.
 *
 * usage: increment IN OUT WORK N DELAY
 * exit codes: 0 done, 1 a file cannot be read or written, 2 usage
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

static int fail(const char *what, const char *file) {
    fprintf(stderr, "increment: %s %s: %s\n", what, file, strerror(errno));
    return 1;
}

static int write_all(int fd, const unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t n = write(fd, bytes, count);
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        if (n > 0) {
            bytes += n;
            count -= (size_t)n;
        }
    }
    return 0;
}

static int add_one(const char *from, const char *to) {
    static unsigned char piece[PIECE];
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        return fail("cannot open", from);
    }
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0) {
        return fail("cannot create", to);
    }
    ssize_t n;
    while ((n = read(in, piece, sizeof piece)) != 0) {
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return fail("cannot read", from);
        }
        for (ssize_t i = 0; i < n; i++) {
            piece[i]++;
        }
        if (write_all(out, piece, (size_t)n) < 0) {
            return fail("cannot write", to);
        }
    }
    if (close(out) < 0) {
        return fail("cannot write", to);
    }
    close(in);
    return 0;
}

int main(int argc, char **argv) {
    int times = argc == 6 ? atoi(argv[4]) : 0;
    double delay = argc == 6 ? atof(argv[5]) : -1;
    if (times < 1 || delay < 0) {
        fprintf(stderr, "usage: increment IN OUT WORK N DELAY\n");
        return 2;
    }
    char from[4096];
    char to[4096];
    snprintf(from, sizeof from, "%s", argv[1]);
    for (int i = 1; i <= times; i++) {
        int length = i == times ? snprintf(to, sizeof to, "%s", argv[2]) : snprintf(to, sizeof to, "%s/%d", argv[3], i);
        if (length < 0 || (size_t)length >= sizeof to) {
            errno = ENAMETOOLONG;
            return fail("cannot create", argv[3]);
        }
        if (add_one(from, to) != 0) {
            return 1;
        }
        struct timespec pause = {(time_t)delay, (long)((delay - (double)(time_t)delay) * 1e9)};
        while (nanosleep(&pause, &pause) < 0 && errno == EINTR) {
        }
        memcpy(from, to, sizeof from);
    }
    return 0;
}
