package io.forebay.sidecar.store.posix;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixProcess;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.util.Set;

/** What an errno means for what happens next, decided once, and its words. Stateless. */
final class PosixErrors {
    private PosixErrors() {}

    /** Calls that are given no name: EINVAL from them blames none. */
    private static final Set<String> NAMELESS = Set.of(
            "pread",
            "pwrite",
            "fsync",
            "fdatasync",
            "syncfs",
            "ftruncate",
            "fallocate",
            "lseek",
            "getdents64",
            "fchmod",
            "futimens");

    /** @param doing what was tried, on what: {@code reading /data/x} */
    static StoreException of(String doing, PosixException e) {
        // Read-only is the whole file system: whoever tried on would fill the buffer with what cannot leave it.
        return new StoreException(kind(e), text(doing, e), e, e.is(Errno.EROFS));
    }

    /** As {@link #of}, for what fails in the same way for everything else there. */
    static StoreException ofWholeStore(String doing, PosixException e) {
        return new StoreException(kind(e), text(doing, e), e, true);
    }

    /** As {@link #of}; if space is lacking the message says how much. Asks the file system: not on a caller's own thread. */
    static StoreException ofWrite(String doing, PosixException e, String folder, long neededBytes) {
        if (kind(e) != Kind.NO_SPACE) {
            return of(doing, e);
        }
        return new StoreException(
                Kind.NO_SPACE,
                doing + " failed: " + e.reason() + ". Needed: " + neededBytes + " bytes ("
                        + Bytes.of(neededBytes).human() + ")" + free(folder)
                        + ". Free space there, or give the output another destination.",
                e);
    }

    private static String free(String folder) {
        try {
            var info = Posix.statfs(folder);
            var inodes = info.freeInodes() == 0 ? ", and no inode is left" : "";
            return "; free at " + folder + ": " + info.freeBytes() + " bytes ("
                    + Bytes.of(info.freeBytes()).human() + ")" + inodes;
        } catch (PosixException e) {
            return "; how much is free at " + folder + " cannot be told: " + e.reason();
        }
    }

    private static String text(String doing, PosixException e) {
        var text = doing + " failed: " + e.reason();
        // The call names another path than the one that was asked for: a parent, a temporary name, a link's target.
        if (!e.path().isEmpty() && !doing.contains(e.path())) {
            text += " at " + e.path();
        }
        return kind(e) == Kind.DENIED ? text + remedy(e) : text;
    }

    private static String remedy(PosixException e) {
        return e.is(Errno.EROFS)
                ? ". The file system is mounted read-only."
                : ", for uid " + PosixProcess.euid() + ". Give that user access, or run as another one.";
    }

    static Kind kind(PosixException e) {
        return switch (e.errno()) {
            case EPERM, EACCES, EROFS -> Kind.DENIED;
            case ENOENT, ENOTDIR, ENXIO, ENODEV -> Kind.NOT_FOUND;
            case ENOSPC, EDQUOT -> Kind.NO_SPACE;
            case EFBIG, EOVERFLOW -> Kind.TOO_LARGE;
            case ENAMETOOLONG, EILSEQ, ELOOP -> Kind.BAD_NAME;
            case EINVAL -> NAMELESS.contains(e.call()) ? Kind.PERMANENT : Kind.BAD_NAME;
            // The server, the network, a disk or this machine may do better the next time.
            case EIO, ESTALE, ETIMEDOUT, EINTR, EAGAIN, EBUSY, ENOMEM, ENFILE, EMFILE, ETXTBSY, EREMOTEIO, EDEADLK ->
                Kind.TRANSIENT;
            case ECOMM,
                    EPROTO,
                    EPIPE,
                    ECONNABORTED,
                    ECONNRESET,
                    ENOTCONN,
                    ESHUTDOWN,
                    ECONNREFUSED,
                    EHOSTDOWN,
                    EHOSTUNREACH -> Kind.TRANSIENT;
            case ESRCH,
                    EBADF,
                    ECHILD,
                    EFAULT,
                    EEXIST,
                    EXDEV,
                    EISDIR,
                    ENOTTY,
                    ESPIPE,
                    EMLINK,
                    ENOSYS,
                    ENOTEMPTY,
                    ENODATA -> Kind.PERMANENT;
            case EOPNOTSUPP, EUCLEAN, UNKNOWN -> Kind.PERMANENT;
        };
    }
}
