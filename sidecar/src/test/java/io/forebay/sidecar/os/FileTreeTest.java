package io.forebay.sidecar.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("io.forebay.sidecar.os.RealFolders#parents")
class FileTreeTest {
    @Parameter
    Path parent;

    private Path root;

    @BeforeEach
    void make() throws Exception {
        root = Path.of(RealFolders.create(parent));
    }

    @AfterEach
    void remove() throws Exception {
        FileTree.delete(root.toString());
        assertThat(root).doesNotExist();
    }

    @Test
    void deletesATree() throws Exception {
        var top = Files.createDirectories(root.resolve("t/a/b/c"));
        Files.writeString(top.resolve("x"), "x");
        Files.writeString(root.resolve("t/y"), "y");
        FileTree.delete(root.resolve("t").toString());
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void deletesNothingThatIsAbsent() throws Exception {
        FileTree.delete(root + "/absent");
        FileTree.delete(root + "/absent/below");
    }

    @Test
    void emptiesAndKeepsTheFolder() throws Exception {
        Files.createDirectories(root.resolve("a/b"));
        FileTree.empty(root.toString());
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void removesLinksAndNotWhatTheyNames() throws Exception {
        var outside = Files.createDirectory(root.resolve("outside"));
        Files.writeString(outside.resolve("kept"), "kept");
        var tree = Files.createDirectory(root.resolve("tree"));
        Files.createSymbolicLink(tree.resolve("link"), outside);
        FileTree.delete(tree.toString());
        FileTree.delete(root + "/tree");
        assertThat(outside.resolve("kept")).hasContent("kept");
        Files.createSymbolicLink(root.resolve("top"), outside);
        FileTree.delete(root + "/top");
        assertThat(outside.resolve("kept")).hasContent("kept");
        assertThat(root.resolve("top")).doesNotExist();
    }

    @Test
    void deletesWhatIsDeeperThanDescriptorsReach() throws Exception {
        deep(700);
        FileTree.delete(root + "/d");
        assertThat(root).isEmptyDirectory();
        deep(700);
        FileTree.empty(root.toString());
        assertThat(root).isEmptyDirectory();
    }

    private void deep(int levels) throws PosixException {
        var at = Posix.openFolder(null, root.toString());
        for (int i = 0; i < levels; i++) {
            Posix.mkdirat(at, "d", 0755);
            var below = Posix.openFolder(at, "d");
            at.close();
            at = below;
        }
        at.close();
    }

    @Test
    void deletesWhileOthersStillCreate() throws Exception {
        var tree = Files.createDirectory(root.resolve("tree")).toString();
        var stop = new AtomicBoolean();
        var creator = Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; !stop.get(); i++) {
                try {
                    Posix.openat(null, tree + "/" + i % 1000, Open.WRONLY | Open.CREAT, 0600)
                            .close();
                    if (i % 100 == 99) {
                        Posix.mkdirat(null, tree + "/d" + i, 0700);
                    }
                } catch (PosixException e) {
                    if (e.is(Errno.ENOENT)) {
                        return;
                    }
                }
            }
        });
        while (Posix.stat(tree).nlink() < 4 && !creatorBusy(tree)) {
            Thread.onSpinWait();
        }
        FileTree.delete(tree);
        stop.set(true);
        creator.join();
        assertThat(root).isEmptyDirectory();
    }

    private static boolean creatorBusy(String tree) {
        return FileTree.usage(tree).files() > 50;
    }

    @Test
    void countsAllocatedBytesOnceAndLinksNot() throws Exception {
        Files.write(root.resolve("a"), new byte[100_000]);
        Files.createDirectory(root.resolve("d"));
        Files.write(root.resolve("d/b"), new byte[50_000]);
        Files.createSymbolicLink(root.resolve("up"), root);
        try (var fd = Posix.open(root + "/sparse", Open.WRONLY | Open.CREAT, 0600)) {
            PosixIo.ftruncate(fd, 1L << 40);
        }
        var usage = FileTree.usage(root.toString());
        assertThat(usage.bytes()).isBetween(150_000L, 400_000L);
        assertThat(usage.files()).isEqualTo(4);
        assertThat(usage.folders()).isEqualTo(2);
    }

    @Test
    void countsNothingWhereNothingIs() {
        assertThat(FileTree.usage(root + "/absent")).isEqualTo(new FileTree.Usage(0, 0, 0));
    }
}
