#define _GNU_SOURCE
#include "protocol.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const uint8_t *get(struct fields *f, size_t length) {
    static const uint8_t zeros[8];
    if (f->bad || (size_t)(f->end - f->at) < length) {
        f->bad = true;
        return length <= sizeof zeros ? zeros : NULL;
    }
    const uint8_t *p = f->at;
    f->at += length;
    return p;
}

uint8_t get_u8(struct fields *f) { return get(f, 1)[0]; }

uint16_t get_u16(struct fields *f) {
    const uint8_t *p = get(f, 2);
    return (uint16_t)(p[0] << 8 | p[1]);
}

uint32_t get_u32(struct fields *f) {
    const uint8_t *p = get(f, 4);
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

uint64_t get_u64(struct fields *f) {
    uint64_t high = get_u32(f);
    return high << 32 | get_u32(f);
}

char *get_text(struct fields *f) {
    uint32_t length = get_u32(f);
    const uint8_t *p = (size_t)(f->end - f->at) < length ? NULL : get(f, length);
    if (!p || (length && memchr(p, 0, length))) {
        f->bad = true;
        return must_copy("", 0);
    }
    return must_copy(p, length);
}

char **get_list(struct fields *f) {
    uint32_t count = get_u32(f);
    if (count > (size_t)(f->end - f->at) / 4) { /* each text has at least its length */
        f->bad = true;
        count = 0;
    }
    char **list = must_alloc(((size_t)count + 1) * sizeof *list);
    for (uint32_t i = 0; i < count; i++) list[i] = get_text(f);
    return list;
}

void free_list(char **list) {
    if (!list) return;
    for (char **p = list; *p; p++) free(*p);
    free(list);
}

bool get_all(const struct fields *f) { return !f->bad && f->at == f->end; }

size_t frame_begin(struct bytes *b, enum frame type) {
    size_t begin = bytes_size(b);
    put_u32(b, 0);
    put_u8(b, (uint8_t)type);
    return begin;
}

void frame_end(struct bytes *b, size_t begin) {
    uint32_t length = (uint32_t)(bytes_size(b) - begin - 4);
    uint8_t *p = bytes_at(b) + begin;
    p[0] = (uint8_t)(length >> 24);
    p[1] = (uint8_t)(length >> 16);
    p[2] = (uint8_t)(length >> 8);
    p[3] = (uint8_t)length;
}

void put_u8(struct bytes *b, uint8_t value) { bytes_add(b, &value, 1); }

void put_u16(struct bytes *b, uint16_t value) {
    uint8_t p[2] = {(uint8_t)(value >> 8), (uint8_t)value};
    bytes_add(b, p, sizeof p);
}

void put_u32(struct bytes *b, uint32_t value) {
    uint8_t p[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    bytes_add(b, p, sizeof p);
}

void put_u64(struct bytes *b, uint64_t value) {
    put_u32(b, (uint32_t)(value >> 32));
    put_u32(b, (uint32_t)value);
}

void put_data(struct bytes *b, const void *data, size_t length) {
    put_u32(b, (uint32_t)length);
    bytes_add(b, data, length);
}

void put_text(struct bytes *b, const char *text) { put_data(b, text, strlen(text)); }

struct command_id get_id(struct fields *f) {
    struct command_id id;
    id.item = get_u64(f);
    id.generation = get_u32(f);
    id.attempt = get_u32(f);
    id.step = get_text(f);
    return id;
}

void put_id(struct bytes *b, const struct command_id *id) {
    put_u64(b, id->item);
    put_u32(b, id->generation);
    put_u32(b, id->attempt);
    put_text(b, id->step);
}

bool same_id(const struct command_id *a, const struct command_id *b) {
    return a->item == b->item && a->generation == b->generation && a->attempt == b->attempt && strcmp(a->step, b->step) == 0;
}

int link_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int folder = -1;
    if (strlen(path) < sizeof address.sun_path) {
        memcpy(address.sun_path, path, strlen(path) + 1);
    } else { /* through the folder's descriptor: the name alone is short */
        const char *name = strrchr(path, '/');
        if (!name) {
            errno = ENAMETOOLONG;
            return -1;
        }
        char *above = must_copy(path, (size_t)(name - path) + 1);
        folder = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
        free(above);
        if (folder < 0) return -1;
        int n = snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d%s", folder, name);
        if (n < 0 || (size_t)n >= sizeof address.sun_path) {
            close(folder);
            errno = ENAMETOOLONG;
            return -1;
        }
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int e = errno;
        close(fd);
        fd = -1;
        errno = e;
    }
    int e = errno;
    if (folder >= 0) close(folder);
    errno = e;
    return fd;
}

bool link_read(struct link *link) {
    uint8_t chunk[65536];
    ssize_t n = recv(link->fd, chunk, sizeof chunk, 0);
    if (n > 0) {
        bytes_add(&link->in, chunk, (size_t)n);
        return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n == 0) errno = 0;
    return false;
}

bool link_write(struct link *link) {
    while (bytes_size(&link->out)) {
        ssize_t n = send(link->fd, bytes_at(&link->out), bytes_size(&link->out), MSG_NOSIGNAL);
        if (n > 0) {
            bytes_take(&link->out, (size_t)n);
            continue;
        }
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    }
    return true;
}

int link_next(struct link *link, struct fields *fields) {
    size_t size = bytes_size(&link->in);
    if (size < 4) return 0;
    struct fields head = {.at = bytes_at(&link->in), .end = bytes_at(&link->in) + 4};
    uint32_t length = get_u32(&head);
    if (length < 1 || length > MAX_FRAME) return -1;
    if (size - 4 < length) return 0;
    *fields = (struct fields){.at = bytes_at(&link->in) + 5, .end = bytes_at(&link->in) + 4 + length};
    uint8_t type = bytes_at(&link->in)[4];
    return type ? type : -1;
}

void link_took(struct link *link) {
    struct fields head = {.at = bytes_at(&link->in), .end = bytes_at(&link->in) + 4};
    bytes_take(&link->in, 4 + (size_t)get_u32(&head));
}

void link_close(struct link *link) {
    if (link->fd >= 0) close(link->fd);
    link->fd = -1;
    bytes_free(&link->in);
    bytes_free(&link->out);
}

char *token_read(const char *file) {
    char text[512];
    if (!file) return must_copy("", 0);
    ssize_t n;
    if (strcmp(file, "-") != 0) {
        n = read_file(file, text, sizeof text);
    } else {
        size_t at = 0;
        n = 0;
        while (at < sizeof text - 1 && (n = read(STDIN_FILENO, text + at, sizeof text - 1 - at)) != 0) {
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) break;
            at += (size_t)n;
            if (memchr(text, '\n', at)) break;
        }
        text[at] = 0;
        if (n >= 0) n = (ssize_t)at;
    }
    if (n < 0) {
        say("cannot read the token from %s: %s", file, strerror(errno));
        return NULL;
    }
    text[strcspn(text, "\r\n")] = 0;
    char *token = must_copy(text, strlen(text));
    explicit_bzero(text, sizeof text);
    return token;
}
