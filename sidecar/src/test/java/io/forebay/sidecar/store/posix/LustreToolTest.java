package io.forebay.sidecar.store.posix;

import static io.forebay.sidecar.store.posix.PosixFixture.failure;
import static io.forebay.sidecar.store.posix.PosixFixture.publish;
import static io.forebay.sidecar.store.posix.PosixFixture.request;
import static io.forebay.sidecar.store.posix.PosixFixture.stage;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With a fake {@code lfs}: a shell script that notes how it was called, makes the file as the real one does, and answers a data
 * version from a file. There is no Lustre here; what the real command does with the same arguments is not tested.
 */
class LustreToolTest {
    @TempDir
    Path folder;

    private Path root;
    private Path calls;
    private Path dataVersion;
    private PosixStore store;

    @BeforeEach
    void fakeLfs() throws Exception {
        root = Files.createDirectory(folder.resolve("scratch"));
        calls = folder.resolve("calls");
        dataVersion = Files.writeString(folder.resolve("version"), "17\n");
        var bin = Files.createDirectory(folder.resolve("bin"));
        var lfs = Files.writeString(bin.resolve("lfs"), """
                #!/bin/sh
                echo "$@" >> '%s'
                for last; do :; done
                case "$1" in
                setstripe) set -C; : > "$last" ;;
                data_version) test -r "$last" && cat '%s' ;;
                *) exit 1 ;;
                esac
                """.formatted(calls, dataVersion));
        Files.setPosixFilePermissions(lfs, PosixFilePermissions.fromString("rwxr-xr-x"));
        store = new PosixStore(LustreTool.find("/nonexistent:" + bin), Duration.ofSeconds(1), 1 << 20);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private List<String> calls() throws Exception {
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    private static final long LARGE = LustreTool.STRIPED;

    @Test
    void setsStripesBeforeTheFirstByteOfALargeFile() throws Exception {
        // Zeros: a sparse file, so that a gigabyte costs nothing here.
        var key = root + "/sub folder/x\n.nii";
        publish(
                store,
                stage(
                        store,
                        request(root.toString(), key, LARGE, FileMeta.UNKNOWN),
                        (offset, dst) -> dst.put(new byte[dst.remaining()])));
        assertThat(Files.size(Path.of(key))).isEqualTo(LARGE);
        assertThat(calls()).hasSize(1);
        assertThat(calls().getFirst()).matches("setstripe -c 4 -S 4M /proc/\\d+/fd/\\d+/\\.fb-t0ken-1");
    }

    @Test
    void leavesSmallFilesAlone() throws Exception {
        publish(
                store,
                stage(
                        store,
                        request(root.toString(), root + "/x", 1000, FileMeta.UNKNOWN),
                        (o, dst) -> dst.put(new byte[dst.remaining()])));
        assertThat(calls()).isEmpty();
    }

    @Test
    void writesWithoutStripesWhereTheCommandRefuses() throws Exception {
        Files.writeString(folder.resolve("bin/lfs"), "#!/bin/sh\nexit 1\n");
        var key = root + "/x";
        publish(
                store,
                stage(
                        store,
                        request(root.toString(), key, LARGE, FileMeta.UNKNOWN),
                        (o, dst) -> dst.put(new byte[dst.remaining()])));
        assertThat(Files.size(Path.of(key))).isEqualTo(LARGE);
    }

    @Test
    @DisplayName("I4 a change that leaves size and times alone is noticed by the data version")
    void pinsTheDataVersion() throws Exception {
        var key = root + "/x";
        try (var c = java.nio.channels.FileChannel.open(
                Path.of(key), java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE)) {
            c.write(java.nio.ByteBuffer.allocate(1), LustreTool.VERSIONED - 1);
        }
        var version = store.stat(key).version();
        assertThat(((Version.Posix) version).lustreDataVersion()).isEqualTo(17);
        store.checkUnchanged(version);
        Files.writeString(dataVersion, "18\n");
        var e = failure(() -> store.checkUnchanged(version));
        assertThat(e.kind()).isEqualTo(Kind.CHANGED);
        assertThat(e).hasMessageContaining("data version 17 then, 18 now");
    }

    @Test
    void pinsSmallFilesWithoutAProcessEach() throws Exception {
        Files.write(root.resolve("x"), new byte[1000]);
        assertThat(((Version.Posix) store.stat(root + "/x").version()).lustreDataVersion())
                .isEqualTo(-1);
        assertThat(calls()).isEmpty();
    }

    @Test
    void laysOutByTheSize() {
        assertThat(LustreTool.stripeCount(1)).isEqualTo(1);
        assertThat(LustreTool.stripeCount(1L << 30)).isEqualTo(4);
        assertThat(LustreTool.stripeCount(20L << 30)).isEqualTo(8);
        assertThat(LustreTool.stripeCount(1L << 40)).isEqualTo(16);
    }
}
