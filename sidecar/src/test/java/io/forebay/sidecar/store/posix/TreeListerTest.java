package io.forebay.sidecar.store.posix;

import static io.forebay.sidecar.store.posix.PosixFixture.failure;
import static io.forebay.sidecar.store.posix.PosixFixture.list;
import static io.forebay.sidecar.store.posix.PosixFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.api.name.NameBytes;
import io.forebay.api.value.StoreUri.Scheme;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.RealFolders;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException.Kind;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("io.forebay.sidecar.os.RealFolders#parents")
class TreeListerTest {
    @Parameter
    Path parent;

    private Path top;
    private Path root;
    private Store store;

    @BeforeEach
    void open() throws Exception {
        top = Path.of(RealFolders.create(parent));
        root = Files.createDirectory(top.resolve("data"));
        store = PosixStore.open(Scheme.FILE);
    }

    @AfterEach
    void close() throws Exception {
        PosixFixture.await("no descriptor is left open", () -> {
            try {
                return PosixFixture.openBelow(top).isEmpty();
            } catch (java.io.IOException e) {
                throw new AssertionError(e);
            }
        });
        store.close();
        FileTree.delete(top.toString());
    }

    private String make(String name) throws Exception {
        var file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, name);
        return file.toString();
    }

    private PosixFixture.Found listAll(SymlinkPolicy policy) throws Exception {
        return list(store, root + "/", "", policy);
    }

    @Test
    void findsFilesAndEmptyFolders() throws Exception {
        var a = make("a");
        var b = make("d/e/b");
        Files.createDirectories(root.resolve("d/empty"));
        var found = listAll(SymlinkPolicy.PRESERVE);
        assertThat(found.entries).containsOnlyKeys(a, b, root + "/d/empty/");
        assertThat(found.entries.get(b)).isEqualTo(store.stat(b));
        assertThat(found.entries.get(root + "/d/empty/").kind()).isEqualTo(Entry.Kind.FOLDER);
        assertThat(found.leftOut).isEmpty();
        assertThat(new String(read(store, found.entries.get(b).version(), 100))).isEqualTo("d/e/b");

        var filesAlone = new PosixFixture.Found();
        store.list(new ListRequest(root.toString(), "", SymlinkPolicy.PRESERVE, false), filesAlone);
        assertThat(filesAlone.entries).containsOnlyKeys(a, b);
    }

    @Test
    void listsOneFile() throws Exception {
        var a = make("a");
        assertThat(list(store, a, "", SymlinkPolicy.PRESERVE).entries).containsOnlyKeys(a);
        assertThat(failure(() -> list(store, a + "/", "", SymlinkPolicy.PRESERVE))
                        .kind())
                .isEqualTo(Kind.NOT_FOUND);
    }

    @Test
    void listsNothingOfAnEmptyFolder() throws Exception {
        assertThat(listAll(SymlinkPolicy.PRESERVE).entries).isEmpty();
    }

    @Test
    @DisplayName("I2 a missing folder is not found, with its path")
    void saysWhenThereIsNoFolder() {
        var e = failure(() -> list(store, root + "/absent/", "", SymlinkPolicy.PRESERVE));
        assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(e).hasMessageContaining(root + "/absent/").hasMessageContaining("ENOENT");
    }

    @Test
    @DisplayName(
            "G1 only what begins with the fixed prefix is looked at, our records never, our temporary files are named")
    void listsBelowTheFixedPrefixOnly() throws Exception {
        make("other/x");
        var a = make("sub-01/anat/t1.nii");
        make("sub-01/func/b.nii");
        make("sub-01/anat.txt");
        Posix.mkfifoat(null, root + "/sub-01/fifo", 0600);
        make(".forebay/job/plan");
        make("sub-01/anat/.forebay/x");
        var own = make("sub-01/anat/.fb-0123abcd-0123456789abcdef01");
        var found = list(store, root.toString(), "sub-01/anat/t", SymlinkPolicy.PRESERVE);
        assertThat(found.entries).containsOnlyKeys(a);
        assertThat(found.leftOut).isEmpty();
        var more = list(store, root.toString(), "sub-01/an", SymlinkPolicy.PRESERVE);
        assertThat(more.entries).containsOnlyKeys(a, root + "/sub-01/anat.txt");
        assertThat(more.leftOut).containsOnlyKeys(own);
    }

    @Test
    void listsTheRecordsWhenAskedForThem() throws Exception {
        var plan = make(".forebay/job/plan");
        assertThat(list(store, root + "/.forebay/", "", SymlinkPolicy.PRESERVE).entries)
                .containsOnlyKeys(plan);
    }

    @Test
    @DisplayName("N1 names of any bytes are told as they are")
    void tellsNamesOfAnyBytes() throws Exception {
        var name = NameBytes.decode(new byte[] {'a', (byte) 0xFF, '\n', (byte) 0xFE});
        Posix.mkdirat(null, root + "/" + name, 0755);
        Posix.open(root + "/" + name + "/" + name, Open.WRONLY | Open.CREAT, 0644)
                .close();
        assertThat(listAll(SymlinkPolicy.PRESERVE).entries).containsOnlyKeys(root + "/" + name + "/" + name);
    }

    @ParameterizedTest
    @EnumSource(SymlinkPolicy.class)
    @DisplayName("N9 FIFO, socket and device are left out with the reason, and hold nothing up")
    void leavesOutWhatIsNoFile(SymlinkPolicy policy) throws Exception {
        var a = make("a");
        Posix.mkfifoat(null, root + "/fifo", 0600);
        Path socket = root.resolve("s");
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            var found = listAll(policy);
            assertThat(found.entries).containsOnlyKeys(a);
            assertThat(found.leftOut).containsOnlyKeys(root + "/fifo", socket.toString());
            assertThat(found.leftOut.get(root + "/fifo")).contains("FIFO");
            assertThat(found.leftOut.get(socket.toString())).contains("socket");
        }
    }

    @Test
    @DisplayName("N9 two hard-linked names are two files")
    void tellsBothNamesOfAFile() throws Exception {
        var a = make("a");
        Posix.link(a, root + "/b");
        assertThat(listAll(SymlinkPolicy.PRESERVE).entries).containsOnlyKeys(a, root + "/b");
    }

    /** A relative link, one to a folder, a loop, one to itself, a dangling one, two that leave the root, one to a device. */
    private void makeLinks() throws Exception {
        make("real/f");
        Files.writeString(top.resolve("secret"), "secret");
        Files.createDirectories(top.resolve("outside/deep"));
        Files.writeString(top.resolve("outside/deep/secret"), "secret");
        Files.createDirectories(root.resolve("l"));
        link("l/relative", "../real/f");
        link("l/folder", "../real");
        link("l/up", "..");
        link("l/self", "self");
        link("l/dangling", "nothing");
        link("l/secret", "../../secret");
        link("l/outside", top.resolve("outside").toString());
        link("l/null", "/dev/null");
    }

    private void link(String name, String target) throws Exception {
        Posix.symlinkat(target, null, root + "/" + name);
    }

    @Test
    @DisplayName("N5 preserve: links are told as links, with their targets, and not followed")
    void preservesLinks() throws Exception {
        makeLinks();
        var found = listAll(SymlinkPolicy.PRESERVE);
        assertThat(found.leftOut).isEmpty();
        assertThat(found.entries).hasSize(9);
        var relative = found.entries.get(root + "/l/relative");
        assertThat(relative.kind()).isEqualTo(Entry.Kind.SYMLINK);
        assertThat(relative.meta().linkTarget()).isEqualTo("../real/f");
        assertThat(found.entries.values().stream()
                        .filter(e -> e.kind() == Entry.Kind.FILE)
                        .map(Entry::key))
                .containsExactly(root + "/real/f");
    }

    @Test
    @DisplayName(
            "N5 follow: files and folders inside are told; loops, dangling links and those that leave the root are left out")
    void followsLinks() throws Exception {
        makeLinks();
        var found = listAll(SymlinkPolicy.FOLLOW);
        assertThat(found.entries).containsOnlyKeys(root + "/real/f", root + "/l/relative", root + "/l/folder/f");
        assertThat(found.leftOut)
                .containsOnlyKeys(
                        root + "/l/up",
                        root + "/l/self",
                        root + "/l/dangling",
                        root + "/l/secret",
                        root + "/l/outside",
                        root + "/l/null");
        assertThat(found.leftOut.get(root + "/l/up")).contains("loop");
        assertThat(found.leftOut.get(root + "/l/self")).contains("circle");
        assertThat(found.leftOut.get(root + "/l/dangling")).contains("does not exist");
        assertThat(found.leftOut.get(root + "/l/secret")).contains("outside");
        var version = found.entries.get(root + "/l/relative").version();
        assertThat(new String(read(store, version, 100))).isEqualTo("real/f");
    }

    @Test
    @DisplayName("N5 error: the first link ends the listing, naming it and what to do")
    void refusesLinks() throws Exception {
        makeLinks();
        var e = failure(() -> listAll(SymlinkPolicy.ERROR));
        assertThat(e.kind()).isEqualTo(Kind.PERMANENT);
        assertThat(e).hasMessageContaining(root + "/l/").hasMessageContaining("Preserve or Follow");
    }

    @Test
    void followsALinkThatIsTheFolderItself() throws Exception {
        make("real/f");
        link("l", "real");
        assertThat(list(store, root + "/l/", "", SymlinkPolicy.PRESERVE).entries)
                .containsOnlyKeys(root + "/l/f");
        assertThat(list(store, root + "/l/", "", SymlinkPolicy.FOLLOW).entries).containsOnlyKeys(root + "/l/f");
    }

    @Test
    void leavesOutWhatIsTooDeep() throws Exception {
        var at = Posix.openFolder(null, root.toString());
        for (int i = 0; i < 300; i++) {
            Posix.mkdirat(at, "d", 0755);
            var below = Posix.openFolder(at, "d");
            at.close();
            at = below;
        }
        at.close();
        var found = listAll(SymlinkPolicy.PRESERVE);
        assertThat(found.entries).isEmpty();
        assertThat(found.leftOut).hasSize(1);
        assertThat(found.leftOut.firstEntry().getValue()).contains("deeper than 256");
    }

    @Test
    void leavesOutPathsThatCannotBeOpened() throws Exception {
        var at = Posix.openFolder(null, root.toString());
        var name = "n".repeat(250);
        for (int i = 0; i < 20; i++) {
            Posix.mkdirat(at, name, 0755);
            var below = Posix.openFolder(at, name);
            at.close();
            at = below;
        }
        Posix.openat(at, "f", Open.WRONLY | Open.CREAT, 0644).close();
        at.close();
        var found = listAll(SymlinkPolicy.PRESERVE);
        assertThat(found.entries).isEmpty();
        assertThat(found.leftOut.firstEntry().getValue()).contains("longer than 4095 bytes");
    }

    @Test
    @DisplayName("Z3 20,000 files and 2,000 folders in one folder are all told, once")
    void listsLargeFolders() throws Exception {
        try (var dir = Posix.openFolder(null, root.toString())) {
            for (int i = 0; i < 20_000; i++) {
                Posix.openat(dir, "file" + i, Open.WRONLY | Open.CREAT, 0600).close();
            }
            for (int i = 0; i < 2_000; i++) {
                Posix.mkdirat(dir, "folder" + i, 0700);
                Posix.openat(dir, "folder" + i + "/f", Open.WRONLY | Open.CREAT, 0600)
                        .close();
            }
        }
        assertThat(listAll(SymlinkPolicy.PRESERVE).entries).hasSize(22_000);
    }

    @Test
    void isNotConfusedByFilesThatComeAndGo() throws Exception {
        for (int i = 0; i < 1000; i++) {
            make("d" + i % 10 + "/f" + i);
        }
        var told = new AtomicInteger();
        var keys = new ArrayList<String>();
        store.list(new ListRequest(root.toString(), "", SymlinkPolicy.FOLLOW, true), new Store.EntrySink() {
            @Override
            public void found(Entry entry) {
                keys.add(entry.key());
                if (told.getAndIncrement() == 50) {
                    try {
                        for (int d = 3; d < 10; d++) {
                            FileTree.delete(root + "/d" + d);
                        }
                        Files.createSymbolicLink(root.resolve("d9"), top);
                    } catch (java.io.IOException e) {
                        throw new AssertionError(e);
                    }
                }
            }

            @Override
            public void leftOut(String key, String why) {
                keys.add(key);
            }
        });
        assertThat(keys).doesNotHaveDuplicates().hasSizeGreaterThan(50);
    }

    @Test
    void stopsWhenItsCallerIsInterrupted() throws Exception {
        for (int i = 0; i < 1000; i++) {
            make("f" + i);
        }
        var told = new AtomicInteger();
        assertThatThrownBy(() -> store.list(
                        new ListRequest(root.toString(), "", SymlinkPolicy.FOLLOW, true), new Store.EntrySink() {
                            @Override
                            public void found(Entry entry) {
                                told.incrementAndGet();
                                Thread.currentThread().interrupt();
                            }

                            @Override
                            public void leftOut(String key, String why) {}
                        }))
                .isInstanceOf(InterruptedException.class);
        assertThat(told.get()).isLessThan(300);
    }

    @Test
    void passesOnWhatTheSinkThrows() throws Exception {
        make("a");
        var refusal = new io.forebay.sidecar.store.StoreException(Kind.PERMANENT, "enough");
        var sink = new Store.EntrySink() {
            @Override
            public void found(Entry entry) throws io.forebay.sidecar.store.StoreException {
                throw refusal;
            }

            @Override
            public void leftOut(String key, String why) {}
        };
        assertThat(failure(() -> store.list(new ListRequest(root.toString(), "", SymlinkPolicy.FOLLOW, true), sink)))
                .isSameAs(refusal);
    }

    @Test
    void tellsTheSameAsAPlainWalk() throws Exception {
        var random = new java.util.Random(20260101);
        for (int i = 0; i < 300; i++) {
            var depth = random.nextInt(5);
            var name = new StringBuilder();
            for (int d = 0; d < depth; d++) {
                name.append("d").append(random.nextInt(4)).append('/');
            }
            make(name + "f" + i);
        }
        List<String> walked;
        try (var all = Files.walk(root)) {
            walked = all.filter(Files::isRegularFile).map(Path::toString).toList();
        }
        assertThat(listAll(SymlinkPolicy.PRESERVE).entries.keySet()).containsExactlyInAnyOrderElementsOf(walked);
    }
}
