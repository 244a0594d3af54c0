/* A command's output on its way: the bounded log file, the last bytes for END, prefixed lines. */
#ifndef FOREBAY_LOG_H
#define FOREBAY_LOG_H

#include "protocol.h"

enum { LOG_FIRST = 512 * 1024, LOG_LAST = 512 * 1024 }; /* bytes kept from the beginning and from the end */

/* The file holds the first LOG_FIRST bytes, then a ring of LOG_LAST bytes which log_close puts in order. */
struct log {
    int fd; /* -1: cannot be written */
    uint64_t total;
    int fault; /* errno of the first write that failed */
    uint8_t tail[MAX_TAIL];
};
void log_open(struct log *log, const char *path); /* fault is set if it cannot be had */
void log_add(struct log *log, const uint8_t *data, size_t length);
void log_close(struct log *log);
size_t log_tail(const struct log *log, uint8_t into[MAX_TAIL]);

/* Cuts bytes into lines and puts "[label] " before each; hands over at most LINES_BATCH bytes at once, whole lines (longer ones in pieces). */
enum { LINES_BATCH = 4096 }; /* PIPE_BUF: one write of it to a pipe is not mixed with others' */
struct lines {
    char prefix[160];
    size_t prefix_length, used; /* used: in batch */
    bool open;                  /* the last line in batch has no end yet */
    uint8_t batch[LINES_BATCH];
    void (*out)(void *context, const uint8_t *data, size_t length);
    void *context;
};
void lines_open(struct lines *lines, const char *label, void (*out)(void *, const uint8_t *, size_t), void *context);
void lines_add(struct lines *lines, const uint8_t *data, size_t length);
void lines_flush(struct lines *lines, bool also_open); /* also_open: ends an unfinished line */

#endif
