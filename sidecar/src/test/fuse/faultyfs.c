/* faultyfs: a FUSE file system that passes everything through to a folder, and misbehaves on request.
 *
 *   faultyfs BACKING MOUNTPOINT
 *
 * Commands come on standard input, one a line; each is answered with a line, "ok" or "? why". At its end, or at "quit", all
 * that hangs is let go, the file system is unmounted and the program ends: it cannot outlive who started it.
 *
 *   fail OP ERRNO COUNT [TEXT]   the next COUNT (-1: all) calls of OP whose path holds TEXT answer ERRNO (a number)
 *   slow OP MICROSECONDS         each call of OP takes so much longer; 0 ends it
 *   hang OP [TEXT]               calls of OP whose path holds TEXT do not return, until "clear"; as on NFS or Lustre, whoever waits
 *                                can be killed, and nothing less than that ends its wait
 *   late COUNT                   a folder, once made, is not found by the next COUNT looks
 *   space BYTES                  so much may still be written, then ENOSPC; statfs says so too
 *   clear                        behaves again
 *   count OP                     answers "ok N": calls of OP since the start
 *
 * OP: any getattr readlink mkdir unlink rmdir symlink rename link chmod truncate open create read write statfs fsync opendir readdir
 *     fsyncdir utimens
 */
#define FUSE_USE_VERSION 312
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum op { ANY, GETATTR, READLINK, MKDIR, UNLINK, RMDIR, SYMLINK, RENAME, LINK, CHMOD, TRUNCATE, OPEN, CREATE, READ, WRITE, STATFS,
          FSYNC, OPENDIR, READDIR, FSYNCDIR, UTIMENS, OPS };

static const char *const op_names[OPS] = { "any", "getattr", "readlink", "mkdir", "unlink", "rmdir", "symlink", "rename", "link",
        "chmod", "truncate", "open", "create", "read", "write", "statfs", "fsync", "opendir", "readdir", "fsyncdir", "utimens" };

enum { TEXT = 256, NO_LIMIT = -1 };

struct fault {
    int error;           /* errno to answer; 0: none */
    long left;           /* calls that still fail; -1: all */
    int hangs;
    long slow_us;
    long calls;
    char text[TEXT];     /* in the path; empty: any path */
    char hang_text[TEXT];
};

static int root = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* All guarded by lock. */
static struct fault faults[OPS];
static long space = NO_LIMIT;
static long late_looks;
static long late_left;
static char late_path[4096];

static const char *below(const char *path) {
    return path[1] ? path + 1 : ".";
}

static void sleep_us(long us) {
    struct timespec t = { us / 1000000, us % 1000000 * 1000 };
    while (nanosleep(&t, &t) < 0 && errno == EINTR) {
    }
}

static int hangs(enum op op, const char *path) {
    return (faults[op].hangs && strstr(path, faults[op].hang_text)) || (faults[ANY].hangs && strstr(path, faults[ANY].hang_text));
}

/* Lock held. Answers 0 or the negative errno that the call is to fail with. */
static int failure(enum op op, const char *path) {
    struct fault *both[] = { &faults[op], &faults[ANY] };
    for (int i = 0; i < 2; i++) {
        struct fault *f = both[i];
        if (f->error && f->left != 0 && strstr(path, f->text)) {
            if (f->left > 0)
                f->left--;
            return -f->error;
        }
    }
    return 0;
}

/* Whether a signal has ended the thread that waits for this call. The kernel tells of any signal, and goes on waiting. */
static int is_caller_killed(void) {
    if (!fuse_interrupted())
        return 0;
    char name[64], line[256];
    snprintf(name, sizeof name, "/proc/%ld/status", (long)fuse_get_context()->pid);
    FILE *status = fopen(name, "re");
    if (!status)
        return 1;
    unsigned long long pending = 0;
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "SigPnd: %llx", &pending) == 1)
            break;
    fclose(status);
    return (pending >> (SIGKILL - 1)) & 1;
}

/* Lock held. Answers whether its caller was killed meanwhile. */
static int wait_while_hanging(enum op op, const char *path) {
    while (hangs(op, path)) {
        if (is_caller_killed())
            return 1;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100 * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&changed, &lock, &until);
    }
    return 0;
}

/* What each call does first. */
static int enter(enum op op, const char *path) {
    pthread_mutex_lock(&lock);
    faults[op].calls++;
    faults[ANY].calls++;
    long us = faults[op].slow_us + faults[ANY].slow_us;
    int error = wait_while_hanging(op, path) ? -EINTR : failure(op, path);
    pthread_mutex_unlock(&lock);
    if (us > 0)
        sleep_us(us);
    return error;
}

static int answer(int result) {
    return result < 0 ? -errno : 0;
}

#define ENTER(op, path)              \
    do {                             \
        int e_ = enter(op, path);    \
        if (e_)                      \
            return e_;               \
    } while (0)

static int is_late(const char *path) {
    pthread_mutex_lock(&lock);
    int late = late_left > 0 && strcmp(path, late_path) == 0;
    /* The first look is the kernel's own, for the answer to mkdir. */
    if (late && late_left-- > late_looks)
        late = 0;
    pthread_mutex_unlock(&lock);
    return late;
}

static int ffs_getattr(const char *path, struct stat *st, struct fuse_file_info *fi) {
    ENTER(GETATTR, path);
    if (is_late(path))
        return -ENOENT;
    return answer(fi ? fstat((int)fi->fh, st) : fstatat(root, below(path), st, AT_SYMLINK_NOFOLLOW));
}

static int ffs_readlink(const char *path, char *target, size_t size) {
    ENTER(READLINK, path);
    ssize_t n = readlinkat(root, below(path), target, size - 1);
    if (n < 0)
        return -errno;
    target[n] = 0;
    return 0;
}

static int ffs_mknod(const char *path, mode_t mode, dev_t dev) {
    ENTER(CREATE, path);
    return answer(mknodat(root, below(path), mode, dev));
}

static int ffs_mkdir(const char *path, mode_t mode) {
    ENTER(MKDIR, path);
    if (mkdirat(root, below(path), mode) < 0)
        return -errno;
    pthread_mutex_lock(&lock);
    if (late_looks > 0) {
        snprintf(late_path, sizeof late_path, "%s", path);
        late_left = late_looks + 1;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

static int ffs_unlink(const char *path) {
    ENTER(UNLINK, path);
    return answer(unlinkat(root, below(path), 0));
}

static int ffs_rmdir(const char *path) {
    ENTER(RMDIR, path);
    return answer(unlinkat(root, below(path), AT_REMOVEDIR));
}

static int ffs_symlink(const char *target, const char *path) {
    ENTER(SYMLINK, path);
    return answer(symlinkat(target, root, below(path)));
}

static int ffs_rename(const char *from, const char *to, unsigned flags) {
    ENTER(RENAME, to);
    return answer(renameat2(root, below(from), root, below(to), flags));
}

static int ffs_link(const char *from, const char *to) {
    ENTER(LINK, to);
    return answer(linkat(root, below(from), root, below(to), 0));
}

static int ffs_chmod(const char *path, mode_t mode, struct fuse_file_info *fi) {
    ENTER(CHMOD, path);
    return answer(fi ? fchmod((int)fi->fh, mode) : fchmodat(root, below(path), mode, 0));
}

static int ffs_truncate(const char *path, off_t size, struct fuse_file_info *fi) {
    ENTER(TRUNCATE, path);
    if (fi)
        return answer(ftruncate((int)fi->fh, size));
    int fd = openat(root, below(path), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int result = answer(ftruncate(fd, size));
    close(fd);
    return result;
}

static int ffs_open(const char *path, struct fuse_file_info *fi) {
    ENTER(OPEN, path);
    int fd = openat(root, below(path), (fi->flags & ~O_NOFOLLOW) | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    fi->fh = (uint64_t)fd;
    return 0;
}

static int ffs_create(const char *path, mode_t mode, struct fuse_file_info *fi) {
    ENTER(CREATE, path);
    int fd = openat(root, below(path), fi->flags | O_CREAT | O_CLOEXEC, mode);
    if (fd < 0)
        return -errno;
    fi->fh = (uint64_t)fd;
    return 0;
}

static int ffs_read(const char *path, char *to, size_t size, off_t offset, struct fuse_file_info *fi) {
    ENTER(READ, path);
    ssize_t n = pread((int)fi->fh, to, size, offset);
    return n < 0 ? -errno : (int)n;
}

static int ffs_write(const char *path, const char *from, size_t size, off_t offset, struct fuse_file_info *fi) {
    ENTER(WRITE, path);
    pthread_mutex_lock(&lock);
    int full = space != NO_LIMIT && space < (long)size;
    if (!full && space != NO_LIMIT)
        space -= (long)size;
    pthread_mutex_unlock(&lock);
    if (full)
        return -ENOSPC;
    ssize_t n = pwrite((int)fi->fh, from, size, offset);
    return n < 0 ? -errno : (int)n;
}

static int ffs_statfs(const char *path, struct statvfs *st) {
    ENTER(STATFS, path);
    if (fstatvfs(root, st) < 0)
        return -errno;
    pthread_mutex_lock(&lock);
    if (space != NO_LIMIT)
        st->f_bavail = st->f_bfree = (fsblkcnt_t)space / st->f_frsize;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int ffs_release(const char *path, struct fuse_file_info *fi) {
    (void)path;
    close((int)fi->fh);
    return 0;
}

static int ffs_fsync(const char *path, int data_only, struct fuse_file_info *fi) {
    ENTER(FSYNC, path);
    return answer(data_only ? fdatasync((int)fi->fh) : fsync((int)fi->fh));
}

static int ffs_opendir(const char *path, struct fuse_file_info *fi) {
    (void)fi;
    return enter(OPENDIR, path);
}

static int ffs_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *fi,
        enum fuse_readdir_flags flags) {
    (void)offset;
    (void)fi;
    (void)flags;
    ENTER(READDIR, path);
    int fd = openat(root, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        int e = errno;
        close(fd);
        return -e;
    }
    for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        struct stat st = { .st_ino = d->d_ino, .st_mode = (mode_t)d->d_type << 12 };
        if (fill(buf, d->d_name, &st, 0, 0))
            break;
    }
    closedir(dir);
    return 0;
}

static int ffs_fsyncdir(const char *path, int data_only, struct fuse_file_info *fi) {
    (void)data_only;
    (void)fi;
    return enter(FSYNCDIR, path);
}

static int ffs_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *fi) {
    ENTER(UTIMENS, path);
    return answer(fi ? futimens((int)fi->fh, times) : utimensat(root, below(path), times, AT_SYMLINK_NOFOLLOW));
}

/* Nothing is cached: each call of the test is to arrive here. */
static void *ffs_init(struct fuse_conn_info *conn, struct fuse_config *cfg) {
    (void)conn;
    cfg->use_ino = 1;
    cfg->hard_remove = 1;
    cfg->entry_timeout = 0;
    cfg->attr_timeout = 0;
    cfg->negative_timeout = 0;
    return NULL;
}

static const struct fuse_operations operations = {
    .init = ffs_init, .getattr = ffs_getattr, .readlink = ffs_readlink, .mknod = ffs_mknod, .mkdir = ffs_mkdir,
    .unlink = ffs_unlink, .rmdir = ffs_rmdir, .symlink = ffs_symlink, .rename = ffs_rename, .link = ffs_link,
    .chmod = ffs_chmod, .truncate = ffs_truncate, .open = ffs_open, .create = ffs_create, .read = ffs_read,
    .write = ffs_write, .statfs = ffs_statfs, .release = ffs_release, .fsync = ffs_fsync, .opendir = ffs_opendir,
    .readdir = ffs_readdir, .fsyncdir = ffs_fsyncdir, .utimens = ffs_utimens,
};

static int op_of(const char *name) {
    for (int i = 0; i < OPS; i++)
        if (strcmp(name, op_names[i]) == 0)
            return i;
    return -1;
}

static void clear(void) {
    for (int i = 0; i < OPS; i++) {
        long calls = faults[i].calls;
        faults[i] = (struct fault){ .calls = calls };
    }
    space = NO_LIMIT;
    late_looks = late_left = 0;
    pthread_cond_broadcast(&changed);
}

/* Lock held. Answers what is wrong with the command, or NULL. */
static const char *obey(const char *line, long *count) {
    char word[16] = "", name[16] = "", text[TEXT] = "";
    long a = 0, b = 0;
    if (sscanf(line, "%15s", word) != 1)
        return "empty";
    if (strcmp(word, "clear") == 0) {
        clear();
        return NULL;
    }
    if (strcmp(word, "space") == 0 && sscanf(line, "%*s %ld", &a) == 1) {
        space = a;
        return NULL;
    }
    if (strcmp(word, "late") == 0 && sscanf(line, "%*s %ld", &a) == 1) {
        late_looks = a;
        return NULL;
    }
    if (sscanf(line, "%*s %15s", name) != 1 || op_of(name) < 0)
        return "unknown operation";
    struct fault *f = &faults[op_of(name)];
    if (strcmp(word, "fail") == 0 && sscanf(line, "%*s %*s %ld %ld %255s", &a, &b, text) >= 2) {
        f->error = (int)a;
        f->left = b;
        memcpy(f->text, text, sizeof text);
    } else if (strcmp(word, "slow") == 0 && sscanf(line, "%*s %*s %ld", &a) == 1) {
        f->slow_us = a;
    } else if (strcmp(word, "hang") == 0) {
        sscanf(line, "%*s %*s %255s", text);
        f->hangs = 1;
        memcpy(f->hang_text, text, sizeof text);
    } else if (strcmp(word, "count") == 0) {
        *count = f->calls;
    } else {
        return "unknown command";
    }
    return NULL;
}

/* Ends the program when standard input ends. */
static void *commands(void *session) {
    char line[1024];
    while (fgets(line, sizeof line, stdin) && strcmp(line, "quit\n") != 0) {
        long count = -1;
        pthread_mutex_lock(&lock);
        const char *wrong = obey(line, &count);
        pthread_mutex_unlock(&lock);
        if (wrong)
            printf("? %s: %s", wrong, line);
        else if (count >= 0)
            printf("ok %ld\n", count);
        else
            printf("ok\n");
        fflush(stdout);
    }
    pthread_mutex_lock(&lock);
    clear();
    pthread_mutex_unlock(&lock);
    fuse_session_exit(session);
    /* The loop looks up only after its next request. */
    kill(getpid(), SIGHUP);
    return NULL;
}

/* With as many threads as calls can hang at once. */
static int serve(struct fuse *fuse) {
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 12)
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    if (!config)
        return -1;
    fuse_loop_cfg_set_max_threads(config, 200);
    int result = fuse_loop_mt(fuse, config);
    fuse_loop_cfg_destroy(config);
    return result;
#else
    struct fuse_loop_config config = { .clone_fd = 0, .max_idle_threads = 200 };
    return fuse_loop_mt(fuse, &config);
#endif
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: faultyfs BACKING MOUNTPOINT\n");
        return 64;
    }
    root = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) {
        fprintf(stderr, "faultyfs: open %s: %s\n", argv[1], strerror(errno));
        return 74;
    }
    umask(0);
    char *fuse_argv[] = { argv[0], "-o", "fsname=faultyfs" };
    struct fuse_args args = FUSE_ARGS_INIT(3, fuse_argv);
    struct fuse *fuse = fuse_new(&args, &operations, sizeof operations, NULL);
    if (!fuse)
        return 70;
    if (fuse_mount(fuse, argv[2]) != 0) {
        fprintf(stderr, "faultyfs: cannot mount on %s\n", argv[2]);
        fuse_destroy(fuse);
        return 71;
    }
    struct fuse_session *session = fuse_get_session(fuse);
    if (fuse_set_signal_handlers(session) != 0)
        return 70;
    printf("ready\n");
    fflush(stdout);
    pthread_t thread;
    if (pthread_create(&thread, NULL, commands, session) != 0)
        return 70;
    int result = serve(fuse);
    fuse_unmount(fuse);
    fuse_destroy(fuse);
    return result < 0 ? 74 : 0;
}
