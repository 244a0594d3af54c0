package io.forebay.sidecar.store.posix;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.store.StoreException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PosixErrorsTest {
    @ParameterizedTest
    @CsvSource({
        "EACCES, DENIED",
        "EPERM, DENIED",
        "EROFS, DENIED",
        "ENOENT, NOT_FOUND",
        "ENOTDIR, NOT_FOUND",
        "ENOSPC, NO_SPACE",
        "EDQUOT, NO_SPACE",
        "EFBIG, TOO_LARGE",
        "ENAMETOOLONG, BAD_NAME",
        "EINVAL, BAD_NAME",
        "EIO, TRANSIENT",
        "ESTALE, TRANSIENT",
        "ETIMEDOUT, TRANSIENT",
        "EINTR, TRANSIENT",
        "EAGAIN, TRANSIENT",
        "ENOTCONN, TRANSIENT",
        "EMFILE, TRANSIENT",
        "ENOTEMPTY, PERMANENT",
        "UNKNOWN, PERMANENT"
    })
    void knowsWhatAnErrnoMeans(Errno errno, Kind kind) {
        assertThat(PosixErrors.of("reading /x", new PosixException(errno.number(), "openat", "/x"))
                        .kind())
                .isEqualTo(kind);
    }

    @Test
    void blamesNoNameForWhatIsGivenNone() {
        assertThat(PosixErrors.of("writing /x", new PosixException(Errno.EINVAL.number(), "pwrite", "/x"))
                        .kind())
                .isEqualTo(Kind.PERMANENT);
    }

    @Test
    void namesThePathThatFailedIfItIsAnother() {
        assertThat(PosixErrors.of("listing /data", new PosixException(Errno.EIO.number(), "openat", "/data/sub")))
                .hasMessage("listing /data failed: input/output error (EIO) at /data/sub");
        assertThat(PosixErrors.of("listing /data", new PosixException(4095, "openat", "/data")))
                .hasMessage("listing /data failed: error 4095");
    }
}
