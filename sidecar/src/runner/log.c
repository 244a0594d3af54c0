#define _GNU_SOURCE
#include "log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void log_open(struct log *log, const char *path) {
    memset(log, 0, sizeof *log);
    log->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0640);
    if (log->fd < 0) log->fault = errno;
}

static bool put_at(struct log *log, const uint8_t *data, size_t length, uint64_t offset) {
    while (length) {
        ssize_t n = pwrite(log->fd, data, length, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            if (!log->fault) log->fault = n < 0 ? errno : EIO;
            return false;
        }
        data += n;
        length -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

void log_add(struct log *log, const uint8_t *data, size_t length) {
    while (length) {
        uint64_t at = log->total, piece;
        if (at < LOG_FIRST) {
            piece = LOG_FIRST - at;
        } else {
            at = LOG_FIRST + (at - LOG_FIRST) % LOG_LAST;
            piece = LOG_FIRST + LOG_LAST - at;
        }
        size_t tail_at = log->total % MAX_TAIL;
        if (piece > MAX_TAIL - tail_at) piece = MAX_TAIL - tail_at;
        if (piece > length) piece = length;
        memcpy(log->tail + tail_at, data, piece);
        if (log->fd >= 0) (void)put_at(log, data, piece, at); /* a full disk is told at the end; the command goes on */
        log->total += piece;
        data += piece;
        length -= piece;
    }
}

size_t log_tail(const struct log *log, uint8_t into[MAX_TAIL]) {
    size_t kept = log->total < MAX_TAIL ? log->total : MAX_TAIL;
    size_t at = log->total < MAX_TAIL ? 0 : log->total % MAX_TAIL;
    memcpy(into, log->tail + at, kept - at);
    memcpy(into + kept - at, log->tail, at);
    return kept;
}

void log_close(struct log *log) {
    if (log->fd < 0) return;
    if (log->total > LOG_FIRST + LOG_LAST) {
        uint8_t *ring = malloc(LOG_LAST);
        char cut[128];
        int n = snprintf(cut, sizeof cut, "\n[... %llu bytes left out ...]\n",
                         (unsigned long long)(log->total - LOG_FIRST - LOG_LAST));
        if (ring && pread(log->fd, ring, LOG_LAST, LOG_FIRST) == LOG_LAST) {
            size_t at = (log->total - LOG_FIRST) % LOG_LAST;
            (void)(put_at(log, (uint8_t *)cut, (size_t)n, LOG_FIRST) && put_at(log, ring + at, LOG_LAST - at, LOG_FIRST + (size_t)n)
                   && put_at(log, ring, at, LOG_FIRST + (size_t)n + LOG_LAST - at)); /* put_at has kept the fault */
        } else if (!log->fault) {
            log->fault = ring ? EIO : ENOMEM;
        }
        free(ring);
    }
    if (close(log->fd) != 0 && !log->fault) log->fault = errno;
    log->fd = -1;
}

void lines_open(struct lines *lines, const char *label, void (*out)(void *, const uint8_t *, size_t), void *context) {
    memset(lines, 0, offsetof(struct lines, batch));
    lines->out = out;
    lines->context = context;
    size_t n = 0;
    lines->prefix[n++] = '[';
    for (const char *p = label; *p && n < 124; p++) /* no line or terminal control in a name */
        lines->prefix[n++] = (unsigned char)*p < ' ' || *p == 127 ? '?' : *p;
    lines->prefix[n++] = ']';
    lines->prefix[n++] = ' ';
    lines->prefix_length = n;
}

static void put(struct lines *lines, const uint8_t *data, size_t length) {
    memcpy(lines->batch + lines->used, data, length);
    lines->used += length;
}

void lines_flush(struct lines *lines, bool also_open) {
    if (lines->open && also_open) {
        put(lines, (const uint8_t *)"\n", 1);
        lines->open = false;
    }
    size_t length = lines->used;
    if (lines->open) { /* whole lines only */
        const uint8_t *last = memrchr(lines->batch, '\n', lines->used);
        length = last ? (size_t)(last - lines->batch) + 1 : 0;
    }
    if (!length) return;
    lines->out(lines->context, lines->batch, length);
    memmove(lines->batch, lines->batch + length, lines->used - length);
    lines->used -= length;
}

void lines_add(struct lines *lines, const uint8_t *data, size_t length) {
    while (length) {
        const uint8_t *end = memchr(data, '\n', length);
        size_t piece = end ? (size_t)(end - data) + 1 : length;
        size_t head = lines->open ? 0 : lines->prefix_length;
        if (lines->used + head + piece > LINES_BATCH - 1) { /* 1: the end of a line that has none */
            lines_flush(lines, false);
            size_t room = LINES_BATCH - 1 - lines->used - head;
            if (piece > room) { /* a line that no batch holds goes out in pieces */
                if (!lines->open) put(lines, (const uint8_t *)lines->prefix, head);
                put(lines, data, room);
                lines->open = true;
                lines_flush(lines, true);
                data += room;
                length -= room;
                continue;
            }
        }
        if (!lines->open) put(lines, (const uint8_t *)lines->prefix, head);
        put(lines, data, piece);
        lines->open = !end;
        data += piece;
        length -= piece;
    }
}
