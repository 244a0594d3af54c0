/* A shared file system as slow as one likes: the folder BACKING seen at MOUNTPOINT through one pipe. A byte read takes 1/READ seconds
 * of the pipe, a byte written 1/WRITE, whoever comes first; so the time of a workload is what the tiered model says, its sum. What
 * is written is not cached, what is read is read again at each opening: a file system that many nodes share promises no less.
 * Each other operation takes LATENCY.
 *
 * usage: slowfs BACKING MOUNTPOINT READ WRITE LATENCY     bytes per second, bytes per second, microseconds; stays in the foreground
 */
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static int backing;
static double read_rate;
static double write_rate;
static double latency;

static pthread_mutex_t pipe_lock = PTHREAD_MUTEX_INITIALIZER;
/* When the pipe is free again. Guarded by pipe_lock. */
static double pipe_free;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sleep_until(double when) {
    struct timespec t = {(time_t)when, (long)((when - (double)(time_t)when) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

/* Waits until the pipe has carried these bytes behind those that came before. */
static void carry(size_t bytes, double rate) {
    pthread_mutex_lock(&pipe_lock);
    double start = pipe_free > now() ? pipe_free : now();
    pipe_free = start + (double)bytes / rate;
    double done = pipe_free;
    pthread_mutex_unlock(&pipe_lock);
    sleep_until(done);
}

static void pause_for_latency(void) {
    if (latency > 0) {
        sleep_until(now() + latency);
    }
}

/* Paths begin with a slash; the backing folder's own are relative. */
static const char *below(const char *path) { return path[1] ? path + 1 : "."; }

static int outcome(int result) { return result < 0 ? -errno : 0; }

static int do_getattr(const char *path, struct stat *st, struct fuse_file_info *fi) {
    pause_for_latency();
    return outcome(fi ? fstat((int)fi->fh, st) : fstatat(backing, below(path), st, AT_SYMLINK_NOFOLLOW));
}

static int do_readlink(const char *path, char *text, size_t size) {
    pause_for_latency();
    ssize_t n = readlinkat(backing, below(path), text, size - 1);
    if (n < 0) {
        return -errno;
    }
    text[n] = 0;
    return 0;
}

static int do_mkdir(const char *path, mode_t mode) {
    pause_for_latency();
    return outcome(mkdirat(backing, below(path), mode));
}

static int do_unlink(const char *path) {
    pause_for_latency();
    return outcome(unlinkat(backing, below(path), 0));
}

static int do_rmdir(const char *path) {
    pause_for_latency();
    return outcome(unlinkat(backing, below(path), AT_REMOVEDIR));
}

static int do_symlink(const char *target, const char *path) {
    pause_for_latency();
    return outcome(symlinkat(target, backing, below(path)));
}

static int do_rename(const char *from, const char *to, unsigned flags) {
    pause_for_latency();
    return outcome(renameat2(backing, below(from), backing, below(to), flags));
}

static int do_link(const char *from, const char *to) {
    pause_for_latency();
    return outcome(linkat(backing, below(from), backing, below(to), 0));
}

static int do_chmod(const char *path, mode_t mode, struct fuse_file_info *fi) {
    (void)fi;
    pause_for_latency();
    return outcome(fchmodat(backing, below(path), mode, 0));
}

static int do_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *fi) {
    (void)fi;
    pause_for_latency();
    return outcome(fchownat(backing, below(path), uid, gid, AT_SYMLINK_NOFOLLOW));
}

static int do_truncate(const char *path, off_t size, struct fuse_file_info *fi) {
    pause_for_latency();
    if (fi) {
        return outcome(ftruncate((int)fi->fh, size));
    }
    int fd = openat(backing, below(path), O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    int result = outcome(ftruncate(fd, size));
    close(fd);
    return result;
}

static int opened(const char *path, int flags, mode_t mode, struct fuse_file_info *fi) {
    pause_for_latency();
    int fd = openat(backing, below(path), (flags & ~O_DIRECT) | O_CLOEXEC, mode);
    if (fd < 0) {
        return -errno;
    }
    fi->fh = (uint64_t)fd;
    return 0;
}

static int do_open(const char *path, struct fuse_file_info *fi) { return opened(path, fi->flags, 0, fi); }

static int do_create(const char *path, mode_t mode, struct fuse_file_info *fi) {
    return opened(path, fi->flags | O_CREAT, mode, fi);
}

static int do_read(const char *path, char *bytes, size_t size, off_t at, struct fuse_file_info *fi) {
    (void)path;
    ssize_t n = pread((int)fi->fh, bytes, size, at);
    if (n < 0) {
        return -errno;
    }
    carry((size_t)n, read_rate);
    return (int)n;
}

static int do_write(const char *path, const char *bytes, size_t size, off_t at, struct fuse_file_info *fi) {
    (void)path;
    carry(size, write_rate);
    ssize_t n = pwrite((int)fi->fh, bytes, size, at);
    return n < 0 ? -errno : (int)n;
}

static int do_statfs(const char *path, struct statvfs *st) {
    (void)path;
    pause_for_latency();
    return outcome(fstatvfs(backing, st));
}

static int do_release(const char *path, struct fuse_file_info *fi) {
    (void)path;
    close((int)fi->fh);
    return 0;
}

/* What was written lies in the backing folder already; durability there is not what is measured. */
static int do_fsync(const char *path, int data, struct fuse_file_info *fi) {
    (void)path;
    (void)data;
    (void)fi;
    pause_for_latency();
    return 0;
}

static int do_readdir(const char *path, void *list, fuse_fill_dir_t fill, off_t at, struct fuse_file_info *fi,
                      enum fuse_readdir_flags flags) {
    (void)at;
    (void)fi;
    (void)flags;
    pause_for_latency();
    int fd = openat(backing, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    DIR *folder = fdopendir(fd);
    if (!folder) {
        int error = -errno;
        close(fd);
        return error;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat st = {.st_ino = entry->d_ino, .st_mode = (mode_t)entry->d_type << 12};
        if (fill(list, entry->d_name, &st, 0, 0)) {
            break;
        }
    }
    closedir(folder);
    return 0;
}

static int do_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *fi) {
    (void)fi;
    pause_for_latency();
    return outcome(utimensat(backing, below(path), times, AT_SYMLINK_NOFOLLOW));
}

static int do_flock(const char *path, struct fuse_file_info *fi, int operation) {
    (void)path;
    pause_for_latency();
    return outcome(flock((int)fi->fh, operation));
}

static void *do_init(struct fuse_conn_info *connection, struct fuse_config *config) {
    (void)connection;
    config->use_ino = 1;
    return NULL;
}

static const struct fuse_operations operations = {
    .init = do_init,
    .getattr = do_getattr,
    .readlink = do_readlink,
    .mkdir = do_mkdir,
    .unlink = do_unlink,
    .rmdir = do_rmdir,
    .symlink = do_symlink,
    .rename = do_rename,
    .link = do_link,
    .chmod = do_chmod,
    .chown = do_chown,
    .truncate = do_truncate,
    .open = do_open,
    .create = do_create,
    .read = do_read,
    .write = do_write,
    .statfs = do_statfs,
    .release = do_release,
    .fsync = do_fsync,
    .fsyncdir = do_fsync,
    .readdir = do_readdir,
    .utimens = do_utimens,
    .flock = do_flock,
};

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: slowfs BACKING MOUNTPOINT READ WRITE LATENCY\n");
        return 2;
    }
    read_rate = atof(argv[3]);
    write_rate = atof(argv[4]);
    latency = atof(argv[5]) / 1e6;
    if (read_rate <= 0 || write_rate <= 0 || latency < 0) {
        fprintf(stderr, "slowfs: rates must be above 0\n");
        return 2;
    }
    backing = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (backing < 0) {
        fprintf(stderr, "slowfs: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    umask(0);
    char *fuse[] = {argv[0], argv[2], "-f", NULL};
    return fuse_main(3, fuse, &operations, NULL);
}
