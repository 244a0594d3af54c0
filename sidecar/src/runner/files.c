#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 500 }; /* folders open at once */

enum lease_answer lease_check(const char *path, const char **why) {
    *why = "";
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        *why = strerror(errno);
        return LEASE_UNKNOWN;
    }
    enum lease_answer answer = LEASE_UNKNOWN;
    struct stat s;
    if (fstat(fd, &s) != 0) {
        *why = strerror(errno);
    } else if (!S_ISREG(s.st_mode)) {
        *why = "not a regular file";
    } else if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
        answer = LEASE_YES;
        if (fcntl(fd, F_SETLEASE, F_UNLCK) != 0) *why = strerror(errno); /* closing gives it back too */
    } else if (errno == EAGAIN) {
        answer = LEASE_NO;
        *why = "open for writing";
    } else {
        *why = strerror(errno);
    }
    close(fd);
    return answer;
}

struct walk {
    struct outcome outcome;
    struct bytes path; /* of the folder being read, no NUL */
    gid_t group;
    int modes;
    int root;
    bool again;        /* clean: something was moved up to the root, which has to be read once more */
    unsigned moved;
};

static void problem(struct walk *w, const char *doing, const char *name, const char *why) {
    if (*w->outcome.problem) return;
    free(w->outcome.problem);
    w->outcome.problem = must_format("%s %.*s/%s: %s", doing, (int)bytes_size(&w->path), (const char *)bytes_at(&w->path), name, why);
}

static void push(struct walk *w, const char *name) {
    bytes_add(&w->path, "/", 1);
    bytes_add(&w->path, name, strlen(name));
}

static void pop(struct walk *w, const char *name) { w->path.end -= strlen(name) + 1; }

static DIR *open_folder(int above, const char *name) {
    int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !d) close(fd);
    return d;
}

static bool dots(const char *name) { return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])); }

/* ---- handover */

static void change(struct walk *w, int folder, const char *name, const struct stat *s, mode_t mode) {
    char *record = must_format("%llu %llu %o %o ", (unsigned long long)s->st_dev, (unsigned long long)s->st_ino,
                               (unsigned)(s->st_mode & 07777), (unsigned)mode);
    struct bytes line = {0};
    bytes_add(&line, record, strlen(record));
    bytes_add(&line, bytes_at(&w->path), bytes_size(&w->path));
    bytes_add(&line, "/", 1);
    bytes_add(&line, name, strlen(name) + 1);
    free(record);
    ssize_t n = write(w->modes, line.data + line.start, bytes_size(&line)); /* one write: whole, or the disk is full */
    bool recorded = n == (ssize_t)bytes_size(&line);
    bytes_free(&line);
    if (!recorded) {
        problem(w, "cannot record the mode of", name, n < 0 ? strerror(errno) : "disk full");
    } else if (s->st_gid != w->group && fchownat(folder, name, (uid_t)-1, w->group, AT_SYMLINK_NOFOLLOW) != 0) {
        problem(w, "cannot change the group of", name, strerror(errno));
    } else if (fchmodat(folder, name, mode, 0) != 0) {
        problem(w, "cannot change the mode of", name, strerror(errno));
    } else {
        w->outcome.count++;
    }
}

static void hand_folder(struct walk *w, DIR *d, int depth) {
    struct dirent *entry;
    while ((errno = 0, entry = readdir(d))) {
        const char *name = entry->d_name;
        struct stat s;
        if (dots(name) || fstatat(dirfd(d), name, &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
        bool ours = geteuid() == 0 || s.st_uid == geteuid(), grouped = s.st_gid == w->group;
        mode_t mode = s.st_mode & 07777;
        if (S_ISREG(s.st_mode) && ours && !(mode & S_IROTH) && !(grouped && (mode & S_IRGRP)))
            change(w, dirfd(d), name, &s, mode | 060 | (mode & S_IXUSR ? S_IXGRP : 0));
        if (!S_ISDIR(s.st_mode)) continue;
        if (ours && !(grouped && (mode & 070) == 070 && (mode & 0700) == 0700)) change(w, dirfd(d), name, &s, mode | 0770);
        DIR *below = depth < MAX_DEPTH ? open_folder(dirfd(d), name) : NULL;
        if (!below) {
            problem(w, "cannot read", name, depth < MAX_DEPTH ? strerror(errno) : "folders within folders, too deep");
            continue;
        }
        push(w, name);
        hand_folder(w, below, depth + 1);
        pop(w, name);
        closedir(below);
    }
    if (errno) problem(w, "cannot list", ".", strerror(errno));
}

static DIR *open_root(struct walk *w, const char *folder) {
    bytes_clear(&w->path);
    bytes_add(&w->path, folder, strlen(folder));
    DIR *d = folder[0] == '/' && folder[1] ? open_folder(AT_FDCWD, folder) : (errno = EINVAL, NULL);
    if (!d && errno != ENOENT) problem(w, "cannot open", "", strerror(errno));
    return d;
}

struct outcome handover(char **folders, const char *modes_file) {
    struct walk w = {.outcome.problem = must_copy("", 0), .modes = -1};
    for (char **f = folders; *f; f++) {
        DIR *d = open_root(&w, *f);
        struct stat s;
        if (d && fstat(dirfd(d), &s) == 0 && s.st_uid != geteuid()) {
            w.group = s.st_gid;
            if (w.modes < 0) {
                w.modes = open(modes_file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0640);
                if (w.modes >= 0 && fchown(w.modes, (uid_t)-1, w.group) != 0) problem(&w, "cannot share", modes_file, strerror(errno));
            }
            if (w.modes < 0) problem(&w, "cannot write", modes_file, strerror(errno));
            else hand_folder(&w, d, 1);
        }
        if (d) closedir(d);
    }
    if (w.modes >= 0 && close(w.modes) != 0) problem(&w, "cannot write", modes_file, strerror(errno));
    bytes_free(&w.path);
    return w.outcome;
}

/* ---- clean */

static void clean_folder(struct walk *w, DIR *d, int depth) {
    struct dirent *entry;
    while ((errno = 0, entry = readdir(d))) {
        const char *name = entry->d_name;
        if (dots(name)) continue;
        if (unlinkat(dirfd(d), name, 0) == 0) {
            w->outcome.count++;
            continue;
        }
        if (errno == ENOENT) continue;
        if (errno != EISDIR && errno != EPERM) {
            problem(w, "cannot remove", name, strerror(errno));
            continue;
        }
        if (unlinkat(dirfd(d), name, AT_REMOVEDIR) == 0) {
            w->outcome.count++;
            continue;
        }
        struct stat s;
        if (fstatat(dirfd(d), name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(s.st_mode) && (s.st_mode & 0700) != 0700)
            (void)fchmodat(dirfd(d), name, 0700, 0); /* another's: opening says so */
        if (depth >= MAX_DEPTH) {
            char *up = must_format(".forebay-deep-%u", w->moved++);
            if (renameat(dirfd(d), name, w->root, up) == 0) w->again = true;
            else problem(w, "cannot move", name, strerror(errno));
            free(up);
            continue;
        }
        DIR *below = open_folder(dirfd(d), name);
        if (!below) {
            problem(w, "cannot remove", name, strerror(errno));
            continue;
        }
        push(w, name);
        clean_folder(w, below, depth + 1);
        pop(w, name);
        closedir(below);
        if (unlinkat(dirfd(d), name, AT_REMOVEDIR) == 0) w->outcome.count++;
        else if (errno != ENOENT) problem(w, "cannot remove", name, strerror(errno));
    }
    if (errno) problem(w, "cannot list", ".", strerror(errno));
}

struct outcome clean(char **folders) {
    struct walk w = {.outcome.problem = must_copy("", 0)};
    for (char **f = folders; *f; f++) {
        do {
            w.again = false;
            DIR *d = open_root(&w, *f);
            if (!d) break;
            w.root = dirfd(d);
            clean_folder(&w, d, 1);
            closedir(d);
        } while (w.again && !*w.outcome.problem);
    }
    bytes_free(&w.path);
    return w.outcome;
}
