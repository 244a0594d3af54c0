package io.forebay.sidecar.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.forebay.api.name.NameBytes;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** On a real disk and in real memory. */
@ParameterizedClass
@MethodSource("io.forebay.sidecar.os.RealFolders#parents")
class PosixTest {
    @Parameter
    Path parent;

    private String root;

    @BeforeEach
    void make() throws Exception {
        root = RealFolders.create(parent);
    }

    @AfterEach
    void remove() throws Exception {
        FileTree.delete(root);
        assertThat(Path.of(root)).doesNotExist();
    }

    private static ByteBuffer bytes(String text) {
        var b = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocateDirect(b.length).put(b).flip();
    }

    private void write(String path, String text) throws PosixException {
        try (var fd = Posix.open(path, Open.WRONLY | Open.CREAT | Open.TRUNC, 0644)) {
            PosixIo.pwrite(fd, bytes(text), 0);
        }
    }

    private static String read(String path) throws PosixException {
        var to = ByteBuffer.allocateDirect(1000);
        try (var fd = Posix.open(path, Open.RDONLY)) {
            PosixIo.pread(fd, to, 0);
        }
        return StandardCharsets.UTF_8.decode(to.flip()).toString();
    }

    private static List<String> names(String path) throws PosixException {
        var found = new ArrayList<String>();
        try (var d = Directory.open(null, path)) {
            for (var n = d.next(); n != null; n = d.next()) {
                found.add(n.name());
            }
        }
        return found;
    }

    @Test
    void writesWhatItReads() throws Exception {
        write(root + "/a", "some text");
        assertThat(Files.readString(Path.of(root, "a"))).isEqualTo("some text");
        assertThat(read(root + "/a")).isEqualTo("some text");
    }

    @Test
    void readsUpToTheEndOfTheFileOnly() throws Exception {
        write(root + "/a", "12345");
        try (var fd = Posix.open(root + "/a", Open.RDONLY);
                var arena = Arena.ofConfined()) {
            assertThat(PosixIo.pread(fd, arena.allocate(100), 2)).isEqualTo(3);
            assertThat(PosixIo.pread(fd, arena.allocate(100), 5)).isZero();
        }
    }

    @Test
    @DisplayName("N1 names of any bytes come back as they went")
    void keepsNamesOfAnyBytes() throws Exception {
        var names = List.of(
                "with space",
                "new\nline",
                "tab\t",
                "'\"",
                "-x",
                "$(x)",
                "*",
                "e\u0301",
                "\u00e9",
                "\uD83D\uDE00",
                NameBytes.decode(new byte[] {(byte) 0xFF, (byte) 0xFE}),
                "x".repeat(255));
        for (var n : names) {
            write(root + "/" + n, "content");
        }
        assertThat(names(root)).containsExactlyInAnyOrderElementsOf(names);
        for (var n : names) {
            assertThat(read(root + "/" + n)).isEqualTo("content");
        }
    }

    @Test
    void refusesANameWithNul() {
        var e = catchThrowableOfType(PosixException.class, () -> Posix.lstat(root + "/a\0b"));
        assertThat(e.errno()).isEqualTo(Errno.EINVAL);
        assertThat(e).hasMessageContaining("NUL");
    }

    @Test
    void refusesAPathThatIsTooLong() {
        var e = catchThrowableOfType(PosixException.class, () -> Posix.lstat("/x".repeat(5000)));
        assertThat(e.errno()).isEqualTo(Errno.ENAMETOOLONG);
    }

    @Test
    void saysWhatFailedOnWhatAndWhy() {
        var e = catchThrowableOfType(PosixException.class, () -> Posix.open(root + "/absent", Open.RDONLY));
        assertThat(e).hasMessage("openat " + root + "/absent: no such file or directory (ENOENT)");
        assertThat(e.symbol()).isEqualTo("ENOENT");
        assertThat(e.call()).isEqualTo("openat");
    }

    @Test
    void doesNotFollowALinkAsFolder() throws Exception {
        Posix.mkdirat(null, root + "/d", 0755);
        Posix.symlinkat("d", null, root + "/l");
        assertThatThrownBy(() -> Posix.openFolder(null, root + "/l")).isInstanceOf(PosixException.class);
        try (var d = Posix.openFolder(null, root + "/d")) {
            assertThat(d.isOpen()).isTrue();
        }
    }

    @Test
    void knowsLinksAndTheirTargets() throws Exception {
        var target = NameBytes.decode(new byte[] {'t', (byte) 0xFF});
        try (var dir = Posix.openFolder(null, root)) {
            Posix.symlinkat(target, dir, "l");
            assertThat(Posix.readlinkat(dir, "l")).isEqualTo(target);
            assertThat(Posix.lstatat(dir, "l").isSymlink()).isTrue();
            Posix.setMtimeAt(dir, "l", 5_000_000_007L);
            assertThat(Posix.lstatat(dir, "l").mtimeNanos()).isEqualTo(5_000_000_007L);
        }
    }

    @Test
    void linksRenamesAndUnlinks() throws Exception {
        write(root + "/a", "a");
        Posix.link(root + "/a", root + "/b");
        assertThat(Posix.stat(root + "/b").nlink()).isEqualTo(2);
        assertThat(catchThrowableOfType(PosixException.class, () -> Posix.link(root + "/a", root + "/b"))
                        .errno())
                .isEqualTo(Errno.EEXIST);
        write(root + "/c", "c");
        Posix.rename(root + "/c", root + "/b");
        assertThat(read(root + "/b")).isEqualTo("c");
        Posix.unlink(root + "/b");
        assertThat(names(root)).containsExactly("a");
    }

    @Test
    void setsAndTellsMetadata() throws Exception {
        write(root + "/a", "abc");
        try (var fd = Posix.open(root + "/a", Open.RDWR)) {
            Posix.fchmod(fd, 0640);
            Posix.setMtime(fd, 1_600_000_000_123_456_789L);
            var s = Posix.fstat(fd);
            assertThat(s.permissions()).isEqualTo(0640);
            assertThat(s.mtimeNanos()).isEqualTo(1_600_000_000_123_456_789L);
            assertThat(s.size()).isEqualTo(3);
            assertThat(s.isFile()).isTrue();
            assertThat(s.uid()).isEqualTo(PosixProcess.euid());
            var java = Path.of(root, "a");
            assertThat(s.inode()).isEqualTo(Files.getAttribute(java, "unix:ino"));
            assertThat(s.device()).isEqualTo(Files.getAttribute(java, "unix:dev"));
            Posix.setMtime(fd, -1_500_000_000L);
            assertThat(Posix.fstat(fd).mtimeNanos()).isEqualTo(-1_500_000_000L);
            Posix.fchown(fd, -1, PosixProcess.gid());
        }
        Posix.fchmodat(null, root + "/a", 04755);
        assertThat(Posix.stat(root + "/a").permissions()).isEqualTo(04755);
    }

    @Test
    @DisplayName("N7 holes take no space and are found")
    void findsHoles() throws Exception {
        try (var fd = Posix.open(root + "/sparse", Open.RDWR | Open.CREAT, 0600)) {
            PosixIo.ftruncate(fd, 1L << 30);
            PosixIo.pwrite(fd, bytes("data"), 512L << 20);
            PosixIo.fdatasync(fd);
            assertThat(PosixIo.seekData(fd, 0)).isEqualTo(512L << 20);
            assertThat(PosixIo.seekHole(fd, 512L << 20)).isBetween((512L << 20) + 1, (513L << 20));
            assertThat(PosixIo.seekData(fd, 600L << 20)).isEqualTo(-1);
            assertThat(Posix.fstat(fd).allocatedBytes()).isBetween(1L, 2L << 20);
            PosixIo.punchHole(fd, 512L << 20, 1 << 20);
            assertThat(PosixIo.seekData(fd, 0)).isEqualTo(-1);
        }
    }

    @Test
    void reservesSpace() throws Exception {
        try (var fd = Posix.open(root + "/a", Open.RDWR | Open.CREAT, 0600)) {
            PosixIo.allocate(fd, 0, 1 << 20);
            assertThat(Posix.fstat(fd).allocatedBytes()).isGreaterThanOrEqualTo(1 << 20);
            assertThat(Posix.fstat(fd).size()).isEqualTo(1 << 20);
        }
    }

    @Test
    void makesDurable() throws Exception {
        try (var fd = Posix.open(root + "/a", Open.RDWR | Open.CREAT, 0600);
                var dir = Posix.openFolder(null, root)) {
            PosixIo.pwrite(fd, bytes("x"), 0);
            PosixIo.fsync(fd);
            PosixIo.fdatasync(fd);
            PosixIo.fsync(dir);
        }
    }

    @Test
    void copiesInsideTheKernel() throws Exception {
        write(root + "/a", "0123456789");
        try (var from = Posix.open(root + "/a", Open.RDONLY);
                var to = Posix.open(root + "/b", Open.RDWR | Open.CREAT, 0600);
                var sent = Posix.open(root + "/c", Open.RDWR | Open.CREAT, 0600)) {
            assertThat(PosixIo.copyFileRange(from, 2, to, 1, 5)).isEqualTo(5);
            assertThat(PosixIo.sendfile(sent, from, 4, 100)).isEqualTo(6);
            PosixIo.advise(from, 0, 0, PosixIo.Advice.SEQUENTIAL);
        }
        assertThat(read(root + "/b")).isEqualTo("\00023456");
        assertThat(read(root + "/c")).isEqualTo("456789");
    }

    @Test
    void tellsSpaceAndKindOfTheFileSystem() throws Exception {
        var info = Posix.statfs(root);
        assertThat(info.isTmpfs()).isEqualTo(root.startsWith("/dev/shm"));
        assertThat(info.freeBytes()).isBetween(1L, info.sizeBytes());
        assertThat(info.maxNameBytes()).isEqualTo(255);
        assertThat(info.isLustre() || info.isNfs()).isFalse();
        try (var dir = Posix.openFolder(null, root)) {
            assertThat(Posix.fstatfs(dir).type()).isEqualTo(info.type());
        }
    }

    @Test
    void locksAgainstOtherOpenings() throws Exception {
        write(root + "/a", "a");
        try (var one = Posix.open(root + "/a", Open.RDWR);
                var two = Posix.open(root + "/a", Open.RDWR)) {
            assertThat(PosixLock.tryLock(one, true)).isTrue();
            assertThat(PosixLock.tryLock(two, true)).isFalse();
            PosixLock.unlock(one);
            assertThat(PosixLock.tryLock(two, true)).isTrue();
            assertThat(PosixLock.tryFlock(one, true)).isTrue();
            assertThat(PosixLock.tryFlock(two, false)).isFalse();
            PosixLock.unlockFlock(one);
            assertThat(PosixLock.tryFlock(two, false)).isTrue();
        }
    }

    @Test
    @DisplayName("P2 a writable opening is noticed, and the question leaves no lease behind")
    void noticesAWriter() throws Exception {
        write(root + "/a", "a");
        try (var reader = Posix.open(root + "/a", Open.RDONLY)) {
            assertThat(PosixLock.hasNoWriter(reader)).isTrue();
            try (var writer = Posix.open(root + "/a", Open.WRONLY)) {
                assertThat(PosixLock.hasNoWriter(reader)).isFalse();
                assertThat(writer.isOpen()).isTrue();
            }
            assertThat(PosixLock.hasNoWriter(reader)).isTrue();
        }
    }

    @Test
    void keepsExtendedAttributes() throws Exception {
        write(root + "/a", "a");
        try (var fd = Posix.open(root + "/a", Open.RDWR)) {
            assertThat(PosixXattr.get(fd, "user.x")).isEmpty();
            try {
                PosixXattr.set(fd, "user.x", new byte[] {0, 1, 2});
            } catch (PosixException e) {
                // tmpfs has them since Linux 6.6 only.
                assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP);
                return;
            }
            assertThat(PosixXattr.get(fd, "user.x"))
                    .hasValueSatisfying(v -> assertThat(v).containsExactly(0, 1, 2));
            assertThat(PosixXattr.list(fd)).contains("user.x");
        }
    }

    @Test
    void readsALargeFolderWhole() throws Exception {
        try (var dir = Posix.openFolder(null, root)) {
            for (int i = 0; i < 5000; i++) {
                Posix.openat(dir, "name-number-" + i, Open.WRONLY | Open.CREAT, 0600)
                        .close();
            }
        }
        assertThat(names(root)).hasSize(5000).doesNotHaveDuplicates();
    }

    @Test
    void closesOnce() throws Exception {
        var fd = Posix.openFolder(null, root);
        int number = fd.number();
        fd.close();
        try (var other = Posix.openFolder(null, root)) {
            assertThat(other.number()).isEqualTo(number);
            fd.close();
            assertThat(Posix.fstat(other).isFolder()).isTrue();
        }
        assertThatThrownBy(fd::number).isInstanceOf(IllegalStateException.class).hasMessageContaining(root);
    }

    @Test
    void leavesNoDescriptorToChildren() throws Exception {
        try (var fd = Posix.openFolder(null, root)) {
            var child = new ProcessBuilder("readlink", "/proc/self/fd/" + fd.number()).start();
            assertThat(new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .doesNotContain(root);
            child.waitFor();
        }
    }

    @Test
    void writesFromReadOnlyMemory() throws Exception {
        try (var fd = Posix.open(root + "/a", Open.WRONLY | Open.CREAT, 0600)) {
            PosixIo.pwrite(fd, bytes("read-only").asReadOnlyBuffer(), 0);
        }
        assertThat(read(root + "/a")).isEqualTo("read-only");
    }

    @Test
    void refusesHeapBuffers() throws Exception {
        write(root + "/a", "a");
        try (var fd = Posix.open(root + "/a", Open.RDONLY)) {
            assertThatThrownBy(() -> PosixIo.pread(fd, ByteBuffer.allocate(10), 0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
