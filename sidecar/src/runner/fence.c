#define _GNU_SOURCE
#include "fence.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/landlock.h, written out: the headers of the machine that builds may be older than the kernel that runs it. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };
struct ruleset_attributes {
    uint64_t handled_access_fs, handled_access_net, scoped;
};
struct path_beneath {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));
enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_UP_TO_REFER = (1 << 14) - 1, /* all of version 2: the above, remove, make, refer */
    FS_TRUNCATE = 1 << 14,          /* version 3 */
    FS_ON_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE,
    FS_READ = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR,
    SCOPE_SIGNAL = 1 << 1           /* version 6 */
};
enum { MAX_BESIDE = 4096 };         /* entries of a folder on the way to a fence; each costs a rule per command */

int fence_version(void) {
    long version = syscall(CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
    return version < 0 ? 0 : (int)version;
}

/* Whether path is below folder, strictly. */
static bool below(const char *path, const char *folder) {
    size_t n = strlen(folder);
    if (n == 1) return path[0] == '/' && path[1];
    return strncmp(path, folder, n) == 0 && path[n] == '/' && path[n + 1];
}

static size_t entries(const char *folder) {
    DIR *d = opendir(folder);
    if (!d) return 0;
    size_t count = 0;
    while (readdir(d)) count++;
    closedir(d);
    return count;
}

/* The folder above fence that forbids it; NULL: it can be fenced. */
static char *in_the_way(const char *fence) {
    const char *home = getenv("HOME");
    for (const char *slash = fence; (slash = strchr(slash, '/')); slash++) {
        char *above = slash == fence ? must_copy("/", 1) : must_copy(fence, (size_t)(slash - fence));
        struct stat s;
        bool open_to_us = geteuid() ? access(above, W_OK) == 0 : stat(above, &s) == 0 && (s.st_mode & S_IWOTH);
        if (open_to_us || (home && *home && strcmp(home, above) == 0) || entries(above) > MAX_BESIDE) return above;
        free(above);
    }
    return NULL;
}

char **fence_usable(char **folders, char **why) {
    size_t count = 0, kept = 0;
    *why = NULL;
    while (folders[count]) count++;
    char **usable = must_alloc((count + 1) * sizeof *usable);
    for (size_t i = 0; i < count; i++) {
        char *real = realpath(folders[i], NULL);
        if (!real) continue;
        char *way = in_the_way(real);
        if (!way) {
            usable[kept++] = real;
            continue;
        }
        char *more = must_format("%s%s%s cannot be closed to other items' commands, because they may make files in %s", *why ? *why : "",
                                 *why ? "; " : "", real, way);
        free(*why);
        *why = more;
        free(way);
        free(real);
    }
    return usable;
}

static int allow(int ruleset, int fd, uint64_t access) {
    struct stat s;
    if (fstat(fd, &s) != 0) return -1;
    struct path_beneath rule = {.allowed_access = S_ISDIR(s.st_mode) ? access : access & FS_ON_FILES, .parent_fd = fd};
    return syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) == 0 ? 0 : -1;
}

static int allow_path(int ruleset, const char *path, int flags, uint64_t access) {
    int fd = open(path, O_PATH | O_CLOEXEC | flags);
    if (fd < 0) return errno == ENOENT || errno == EACCES ? 0 : -1; /* what cannot be reached needs no rule */
    int result = allow(ruleset, fd, access);
    int e = errno;
    close(fd);
    errno = e;
    return result;
}

/* Allows everything in folder, which is above at least one fence, but the fences. */
static int allow_beside(int ruleset, const char *folder, char **fences, uint64_t access) {
    DIR *d = opendir(folder);
    if (!d) return errno == EACCES ? 0 : -1;
    int result = 0;
    struct dirent *entry;
    while (result == 0 && (errno = 0, entry = readdir(d))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char *path = must_format("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, entry->d_name);
        bool fenced = false, above = false;
        for (char **f = fences; *f; f++) {
            fenced |= strcmp(*f, path) == 0;
            above |= below(*f, path);
        }
        struct stat s;
        if (fenced || lstat(path, &s) != 0 || S_ISLNK(s.st_mode)) {
            /* Of a symbolic link its target counts, wherever that is. */
        } else if (above) {
            result = allow_beside(ruleset, path, fences, access);
        } else {
            result = allow_path(ruleset, path, O_NOFOLLOW, access);
        }
        free(path);
    }
    int e = errno;
    closedir(d);
    errno = e;
    return result;
}

int fence_enter(char **fences, char **readable, char **writable, const char **what) {
    int version = fence_version();
    if (version < 2 || !fences || !*fences || (!*readable && !*writable)) return 0;
    uint64_t all = FS_UP_TO_REFER | (version >= 3 ? (uint64_t)FS_TRUNCATE : 0);
    struct ruleset_attributes attributes = {.handled_access_fs = all, .scoped = version >= 6 ? SCOPE_SIGNAL : 0};
    size_t size = version >= 6 ? sizeof attributes : version >= 4 ? 16 : 8;
    *what = "landlock_create_ruleset";
    int ruleset = (int)syscall(CREATE_RULESET, &attributes, size, 0);
    if (ruleset < 0) return -1;
    *what = "landlock_add_rule";
    bool inside = false; /* a fence at / has nothing beside it */
    for (char **f = fences; *f; f++) inside |= strcmp(*f, "/") == 0;
    if (!inside && allow_beside(ruleset, "/", fences, all) != 0) return -1;
    for (char **r = readable; *r; r++)
        if (allow_path(ruleset, *r, 0, FS_READ) != 0) return -1;
    for (char **w = writable; *w; w++)
        if (allow_path(ruleset, *w, 0, all) != 0) return -1;
    *what = "no_new_privs";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    *what = "landlock_restrict_self";
    if (syscall(RESTRICT_SELF, ruleset, 0) != 0) return -1;
    close(ruleset);
    return 0;
}
