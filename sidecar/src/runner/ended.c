#define _GNU_SOURCE
#include "ended.h"

#include "common.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int ended_code(const char *file) {
    char text[8]; /* 255 and a newline, and enough to see that there is more */
    ssize_t n = read_file(file, text, sizeof text);
    if (n < 0 && errno == ENOENT) return ENDED_NOT;
    if (n < 0) return fail(ENDED_UNREADABLE, "cannot read how the engine ended from %s: %s", file, strerror(errno));
    text[strcspn(text, "\n")] = 0;
    long long code = n > 4 ? -1 : parse_number(text, 255);
    return code < 0 ? fail(ENDED_UNREADABLE, "%s holds no exit code: is it another file?", file) : (int)code;
}

bool ended_there(const char *file) {
    struct stat s;
    return file && stat(file, &s) == 0;
}

bool ended_write(const char *file, int code) {
    char *temporary = must_format("%s.new", file);
    char text[8];
    int length = snprintf(text, sizeof text, "%d\n", code);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    bool good = fd >= 0 && fchmod(fd, 0644) == 0 && write(fd, text, (size_t)length) == length;
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && rename(temporary, file) != 0) {
        good = false;
        why = errno;
    }
    if (!good) say("cannot write to %s that the command has ended with %d: %s", file, code, strerror(why));
    free(temporary);
    return good;
}

bool ended_forget(const char *file) {
    if (unlink(file) == 0 || errno == ENOENT) return true;
    say("cannot remove %s: %s", file, strerror(errno));
    return false;
}
