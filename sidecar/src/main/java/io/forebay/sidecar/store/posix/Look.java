package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One look at a name in a folder.
 *
 * @param statOrFolder absent for a folder, which is looked at when it is entered
 * @param target of a symbolic link; absent: it is none
 * @param dataVersion of {@link LustreTool#dataVersion}
 */
record Look(
        String name, @Nullable Stat statOrFolder, @Nullable String target, long dataVersion) {

    boolean isFolder() {
        return statOrFolder == null || statOrFolder.isFolder();
    }

    Stat stat() {
        if (statOrFolder == null) {
            throw new IllegalStateException(name + " is a folder");
        }
        return statOrFolder;
    }

    /** Names that are gone meanwhile are left out. */
    static List<Look> at(ListedFolder folder, List<ListedFolder.Name> names, LustreTool lustre) throws PosixException {
        var looks = new ArrayList<Look>(names.size());
        for (var n : names) {
            if (n.isFolder()) {
                looks.add(new Look(n.name(), null, null, Pins.NO_DATA_VERSION));
                continue;
            }
            try {
                looks.add(at(folder, n.name(), Posix.lstatat(folder.fd(), n.name()), lustre));
            } catch (PosixException e) {
                // EINVAL: of readlink, no longer a link
                if (!e.is(Errno.ENOENT) && !e.is(Errno.EINVAL)) {
                    throw e;
                }
            }
        }
        return looks;
    }

    /** @param folder absent: the name is absolute */
    static Look at(@Nullable ListedFolder folder, String name, Stat stat, LustreTool lustre) throws PosixException {
        var dir = folder == null ? null : folder.fd();
        var target = stat.isSymlink() ? Posix.readlinkat(dir, name) : null;
        return new Look(name, stat, target, dataVersion(dir, name, stat, lustre));
    }

    private static long dataVersion(@Nullable Fd dir, String name, Stat stat, LustreTool lustre) throws PosixException {
        if (!stat.isFile() || !lustre.asksFor(stat.size())) {
            return Pins.NO_DATA_VERSION;
        }
        try (var file = Posix.openat(dir, name, Open.RDONLY | Open.NONBLOCK)) {
            return lustre.dataVersion(file, stat.size());
        } catch (PosixException e) {
            if (e.is(Errno.EACCES)) {
                return Pins.NO_DATA_VERSION; // whether it is wanted at all is not known yet; reading it will say so
            }
            throw e;
        }
    }
}
