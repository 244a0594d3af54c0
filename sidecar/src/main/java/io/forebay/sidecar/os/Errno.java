package io.forebay.sidecar.os;

import java.util.HashMap;
import java.util.Map;

/** The error numbers of Linux (the same on x86_64 and aarch64), with the words that people read. */
public enum Errno {
    EPERM(1, "operation not permitted"),
    ENOENT(2, "no such file or directory"),
    ESRCH(3, "no such process"),
    EINTR(4, "interrupted system call"),
    EIO(5, "input/output error"),
    ENXIO(6, "no such device or address"),
    EBADF(9, "bad file descriptor"),
    ECHILD(10, "no child process"),
    EAGAIN(11, "resource temporarily unavailable"),
    ENOMEM(12, "cannot allocate memory"),
    EACCES(13, "permission denied"),
    EFAULT(14, "bad address"),
    EBUSY(16, "device or resource busy"),
    EEXIST(17, "file exists"),
    EXDEV(18, "link across file systems"),
    ENODEV(19, "no such device"),
    ENOTDIR(20, "not a directory"),
    EISDIR(21, "is a directory"),
    EINVAL(22, "invalid argument"),
    ENFILE(23, "too many open files in the system"),
    EMFILE(24, "too many open files of this process; raise its limit (ulimit -n), 1024 is enough"),
    ENOTTY(25, "inappropriate ioctl for device"),
    ETXTBSY(26, "text file busy"),
    EFBIG(27, "file too large"),
    ENOSPC(28, "no space left on device"),
    ESPIPE(29, "illegal seek"),
    EROFS(30, "read-only file system"),
    EMLINK(31, "too many links"),
    EPIPE(32, "broken pipe"),
    EDEADLK(35, "resource deadlock avoided"),
    ENAMETOOLONG(36, "file name too long"),
    ENOSYS(38, "function not implemented"),
    ENOTEMPTY(39, "directory not empty"),
    ELOOP(40, "too many levels of symbolic links, or a link where none may be"),
    ENODATA(61, "no data available"),
    ECOMM(70, "communication error on send"),
    EPROTO(71, "protocol error"),
    EOVERFLOW(75, "value too large"),
    EILSEQ(84, "invalid multibyte character"),
    EOPNOTSUPP(95, "operation not supported"),
    ECONNABORTED(103, "connection aborted"),
    ECONNRESET(104, "connection reset"),
    ENOTCONN(107, "not connected"),
    ESHUTDOWN(108, "endpoint shut down"),
    ETIMEDOUT(110, "timed out"),
    ECONNREFUSED(111, "connection refused"),
    EHOSTDOWN(112, "host is down"),
    EHOSTUNREACH(113, "no route to host"),
    ESTALE(116, "stale file handle"),
    EUCLEAN(117, "structure needs cleaning"),
    EREMOTEIO(121, "remote input/output error"),
    EDQUOT(122, "disk quota exceeded"),
    /** Any number that is not in this list. */
    UNKNOWN(0, "unknown error");

    private static final Map<Integer, Errno> BY_NUMBER = new HashMap<>();

    static {
        for (var e : values()) {
            BY_NUMBER.put(e.number, e);
        }
    }

    private final int number;
    private final String text;

    Errno(int number, String text) {
        this.number = number;
        this.text = text;
    }

    /** As in errno.h; 0 for {@link #UNKNOWN}. */
    public int number() {
        return number;
    }

    /** Lower case, without a full stop. */
    public String text() {
        return text;
    }

    public static Errno of(int number) {
        return BY_NUMBER.getOrDefault(number, UNKNOWN);
    }
}
