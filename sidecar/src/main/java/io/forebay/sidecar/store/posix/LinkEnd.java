package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;

/** Where a symbolic link leads, found out without opening what is there: it may be a device. */
sealed interface LinkEnd {
    /** @param why continues "a link to x, which" */
    record Nowhere(String why) implements LinkEnd {}

    /** @param realPath all links resolved */
    record There(String realPath, Stat stat, long dataVersion) implements LinkEnd {}

    static LinkEnd of(ListedFolder folder, String name, LustreTool lustre) throws PosixException {
        try (var end = Posix.openat(folder.fd(), name, Open.PATH)) {
            var stat = Posix.fstat(end);
            var real = ListedFolder.realPath(end);
            return new There(
                    real,
                    stat,
                    stat.isFile() ? Look.at(folder, name, stat, lustre).dataVersion() : Pins.NO_DATA_VERSION);
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT) || e.is(Errno.ENOTDIR)) {
                return new Nowhere("does not exist");
            }
            if (e.is(Errno.ELOOP)) {
                return new Nowhere("leads round in a circle");
            }
            if (e.is(Errno.EACCES)) {
                return new Nowhere("cannot be reached: " + e.reason());
            }
            throw e;
        }
    }
}
