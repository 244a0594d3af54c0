/* Frames between the engine and forebay-step. The protocol is documented once, in
 * sidecar/src/main/java/io/forebay/sidecar/step/Protocol.java; this file and that one change together. */
#ifndef FOREBAY_PROTOCOL_H
#define FOREBAY_PROTOCOL_H

#include "common.h"

enum {
    PROTOCOL_VERSION = 2,
    PROTOCOL_MAGIC = 0x46425354, /* "FBST" */
    MAX_FRAME = 4 * 1024 * 1024, /* type and fields */
    MAX_TAIL = 8 * 1024,
    MAX_PROBLEM = 2 * 1024,
    MAX_UNACKNOWLEDGED = 4096    /* ends that the engine has not acknowledged */
};

enum role { ROLE_STEP = 1, ROLE_COMMIT = 2 };

enum frame { /* engine to runner */
    WELCOME = 0x01,
    REFUSED = 0x02,
    WORK = 0x03,
    STOP = 0x04,
    ACK = 0x05,
    LEASE = 0x06,
    HANDOVER = 0x07,
    CLEAN = 0x08,
    BYE = 0x09,
    ANSWER = 0x0A,
    /* runner to engine */
    HELLO = 0x81,
    RUNNING = 0x82,
    END = 0x83,
    ANNOUNCED = 0x84,
    STARTED = 0x85,
    OUTPUT = 0x86,
    FORGOTTEN = 0x87,
    LEASE_ANSWER = 0x88,
    DONE = 0x89,
    LEAVING = 0x8A,
    DRAIN = 0x8B,
    GOT = 0x8C,
    NOTE = 0x8D
};

enum refusal { REFUSED_NOW = 0, REFUSED_FOR_GOOD = 1, REFUSED_TOKEN = 2 };
enum end_flag { END_LOST = 1, END_OOM = 2, END_UNSTARTED = 4 };
enum lease_answer { LEASE_NO = 0, LEASE_YES = 1, LEASE_UNKNOWN = 2 };

/* Reading fields: every get_ checks the bounds; after a fault all give zeros and bad is set. */
struct fields {
    const uint8_t *at, *end;
    bool bad;
};
uint8_t get_u8(struct fields *f);
uint16_t get_u16(struct fields *f);
uint32_t get_u32(struct fields *f);
uint64_t get_u64(struct fields *f);
char *get_text(struct fields *f);           /* own copy, for free(); a NUL inside is a fault */
char **get_list(struct fields *f);          /* NULL-terminated, for free_list() */
void free_list(char **list);
bool get_all(const struct fields *f);       /* no fault, nothing left over */

/* Writing: frame_begin leaves the length open, frame_end sets it. */
size_t frame_begin(struct bytes *b, enum frame type);
void frame_end(struct bytes *b, size_t begin);
void put_u8(struct bytes *b, uint8_t value);
void put_u16(struct bytes *b, uint16_t value);
void put_u32(struct bytes *b, uint32_t value);
void put_u64(struct bytes *b, uint64_t value);
void put_data(struct bytes *b, const void *data, size_t length);
void put_text(struct bytes *b, const char *text);

/* Which command: item, generation and attempt of the item, step. */
struct command_id {
    uint64_t item;
    uint32_t generation, attempt;
    char *step;
};
struct command_id get_id(struct fields *f);
void put_id(struct bytes *b, const struct command_id *id);
bool same_id(const struct command_id *a, const struct command_id *b);

/* The connection of both talking roles. */
struct link {
    int fd; /* -1: none */
    struct bytes in, out;
};
/* Connects to a Unix socket whose path may be longer than sun_path; -1 with errno. Non-blocking, close-on-exec. */
int link_connect(const char *path);
/* Reads and writes what goes without waiting. false: the connection is gone (errno; 0: closed by the peer). */
bool link_read(struct link *link);
bool link_write(struct link *link);
/* The next whole frame: its type and fields, valid until link_next or link_read. 0: not yet; -1: the peer breaks the protocol. */
int link_next(struct link *link, struct fields *fields);
void link_took(struct link *link); /* the frame that link_next gave is done with */
void link_close(struct link *link);

/* The job's token: whole first line of the file, "-": of standard input. NULL, said, if it cannot be had. */
char *token_read(const char *file);

#endif
