package io.forebay.sidecar.store.posix;

import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.api.value.StoreUri.Scheme;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.os.RealFolders;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * The figures in docs/decisions/0005-posix-io.md. Not a test: {@code java -cp ... PosixIoMeasurement copy|tiny|list|calls}, best of three
 * rounds.
 */
public final class PosixIoMeasurement {
    private static final long LARGE = 2L << 30;
    /** Less, since it goes to the disk itself. */
    private static final long STAGED = 512L << 20;

    private static final int TINY_FILES = 2000;
    private static final int LISTED = 1_000_000;
    private static final int ROUNDS = 3;

    private final Path disk;
    private final Path memory;
    private final Store store = PosixStore.open(Scheme.FILE);

    private PosixIoMeasurement(Path disk, Path memory) {
        this.disk = disk;
        this.memory = memory;
    }

    public static void main(String[] args) throws Exception {
        var parents = RealFolders.parents().toList();
        var disk = Path.of(RealFolders.create(parents.getFirst()));
        var memory = Path.of(RealFolders.create(parents.getLast()));
        try {
            var m = new PosixIoMeasurement(disk, memory);
            for (var what : args) {
                switch (what) {
                    case "copy" -> m.copy();
                    case "tiny" -> m.tiny();
                    case "list" -> m.list();
                    case "calls" -> m.calls();
                    default -> throw new IllegalArgumentException(what);
                }
            }
            m.store.close();
        } finally {
            FileTree.delete(disk.toString());
            FileTree.delete(memory.toString());
        }
    }

    /** @param cpu seconds of this process and its children; tells more than the time where others use the machine too */
    private record Taken(double seconds, double cpu) {}

    private static Taken best(Callable<?> work) throws Exception {
        var best = new Taken(Double.MAX_VALUE, Double.MAX_VALUE);
        for (int i = 0; i < ROUNDS; i++) {
            long begin = System.nanoTime();
            double cpu = cpuSeconds();
            work.call();
            best = new Taken(
                    Math.min(best.seconds, (System.nanoTime() - begin) / 1e9), Math.min(best.cpu, cpuSeconds() - cpu));
        }
        return best;
    }

    /** proc_pid_stat(5): fields 14 to 17, in hundredths of a second; the second field is the name in brackets. */
    private static double cpuSeconds() throws IOException {
        var stat = Files.readString(Path.of("/proc/self/stat"));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        double hundredths = 0;
        for (int i = 11; i <= 14; i++) {
            hundredths += Double.parseDouble(fields[i]);
        }
        return hundredths / 100;
    }

    private static void say(String what, Taken taken, double amount, String unit) {
        System.out.printf(
                "%-60s %7.2f s %7.2f s CPU %9.0f %s%n", what, taken.seconds, taken.cpu, amount / taken.seconds, unit);
    }

    // ---- one large file

    private void copy() throws Exception {
        var source = disk + "/large";
        try (var fd = Posix.open(source, Open.WRONLY | Open.CREAT, 0644)) {
            var block = ByteBuffer.allocateDirect(1 << 20);
            var random = new java.util.Random(1);
            for (long at = 0; at < LARGE; at += block.capacity()) {
                block.clear();
                for (int i = 0; i < block.capacity(); i += 512) {
                    block.putLong(i, random.nextLong());
                }
                PosixIo.pwrite(fd, block, at);
            }
        }
        var version = store.stat(source).version();
        say("cp, disk (cached) to memory", best(() -> cp(source, memory + "/x")), LARGE / 1048576.0, "MiB/s");
        for (int streams : new int[] {1, 2, 4}) {
            say(
                    "store.read to memory, streams: " + streams,
                    best(() -> fetch(version, memory + "/x", streams)),
                    LARGE / 1048576.0,
                    "MiB/s");
        }
        try (var fd = Posix.open(memory + "/x", Open.WRONLY)) {
            PosixIo.ftruncate(fd, STAGED);
        }
        say("cp and sync, memory to disk", best(() -> cpAndSync()), STAGED / 1048576.0, "MiB/s");
        for (int streams : new int[] {1, 2, 4}) {
            say(
                    "stage (fsync included) to disk, parts at once: " + streams,
                    best(() -> stageLarge(memory + "/x", streams)),
                    STAGED / 1048576.0,
                    "MiB/s");
        }
    }

    private Integer cpAndSync() throws Exception {
        cp(memory + "/x", disk + "/y");
        return new ProcessBuilder("sync", disk + "/y").start().waitFor();
    }

    private static Integer cp(String from, String to) throws Exception {
        FileTree.delete(to);
        return new ProcessBuilder("cp", from, to).start().waitFor();
    }

    private Boolean fetch(Version version, String to, int streams) throws Exception {
        FileTree.delete(to);
        try (var fd = Posix.open(to, Open.WRONLY | Open.CREAT, 0644)) {
            var parts = new ArrayList<Callable<Object>>();
            long part = 64L << 20;
            for (long at = 0; at < version.size(); at += part) {
                long from = at;
                parts.add(() -> {
                    var crc = new CRC32C();
                    store.read(
                            version,
                            from,
                            Math.min(part, version.size() - from),
                            ByteBuffer.allocateDirect(1 << 20),
                            (o, piece) -> {
                                crc.update(piece.duplicate());
                                PosixIo.pwrite(fd, piece, o);
                            });
                    return crc.getValue();
                });
            }
            all(parts, streams);
        }
        return true;
    }

    private static void all(List<? extends Callable<Object>> work, int atOnce) throws Exception {
        try (var pool = Executors.newFixedThreadPool(atOnce)) {
            for (Future<Object> f : pool.invokeAll(work)) {
                f.get();
            }
        }
    }

    private Boolean stageLarge(String from, int streams) throws Exception {
        var stub =
                store.prepare(new StageRequest(disk + "/staged", disk.toString(), STAGED, FileMeta.UNKNOWN, "large"));
        try (var fd = Posix.open(from, Open.RDONLY);
                var write = store.open(stub)) {
            var parts = new ArrayList<Callable<Object>>();
            for (int p = 0; p < write.parts(); p++) {
                int part = p;
                parts.add(() -> write.write(
                        part, (offset, dst) -> PosixIo.pread(fd, dst, offset), ByteBuffer.allocateDirect(1 << 20)));
            }
            all(parts, streams);
            write.seal();
        }
        store.discard(stub);
        return true;
    }

    // ---- many tiny files

    private void tiny() throws Exception {
        for (int atOnce : new int[] {1, 4, 16, 32, 128}) {
            say(
                    "tiny files, one fsync each, at once: " + atOnce,
                    best(() -> tinyBySeal(atOnce)),
                    TINY_FILES,
                    "files/s");
        }
        say("tiny files, one syncfs for all, on an idle file system", best(this::tinyBySyncfs), TINY_FILES, "files/s");
    }

    private Boolean tinyBySeal(int atOnce) throws Exception {
        var keys = new ArrayList<String>();
        var work = new ArrayList<Callable<Object>>();
        for (int i = 0; i < TINY_FILES; i++) {
            var key = disk + "/tiny/" + i;
            var token = "t" + i;
            keys.add(key);
            work.add(() -> {
                var staged = stageTiny(key, token);
                return store.publish(staged, new Store.InlineSource.Absent());
            });
        }
        all(work, atOnce);
        store.syncFolders(keys);
        FileTree.delete(disk + "/tiny");
        return true;
    }

    private StagedFile stageTiny(String key, String token) throws Exception {
        var stub = store.prepare(new StageRequest(key, disk.toString(), 10, FileMeta.UNKNOWN, token));
        try (var write = store.open(stub)) {
            write.write(
                    0,
                    (offset, dst) -> dst.put("0123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII)),
                    ByteBuffer.allocateDirect(16));
            return write.seal();
        }
    }

    private Boolean tinyBySyncfs() throws Exception {
        Posix.mkdirat(null, disk + "/tiny", 0755);
        try (var dir = Posix.openFolder(null, disk + "/tiny")) {
            var open = new ArrayList<Fd>();
            for (int i = 0; i < TINY_FILES; i++) {
                var fd = Posix.openat(dir, ".fb-t" + i, Open.WRONLY | Open.CREAT | Open.EXCL, 0644);
                PosixIo.pwrite(fd, ByteBuffer.allocateDirect(10), 0);
                open.add(fd);
            }
            PosixIo.syncfs(dir);
            open.forEach(Fd::close);
            for (int i = 0; i < TINY_FILES; i++) {
                Posix.renameat(dir, ".fb-t" + i, dir, Integer.toString(i));
            }
            PosixIo.fsync(dir);
        }
        FileTree.delete(disk + "/tiny");
        return true;
    }

    // ---- a million names

    private void list() throws Exception {
        Posix.mkdirat(null, memory + "/many", 0755);
        try (var dir = Posix.openFolder(null, memory + "/many")) {
            for (int i = 0; i < LISTED; i++) {
                Posix.openat(dir, "file-number-" + i, Open.WRONLY | Open.CREAT, 0644)
                        .close();
            }
        }
        say(
                "list 1,000,000 files in one folder of memory",
                best(() -> {
                    var n = new AtomicLong();
                    store.list(
                            new ListRequest(memory.toString(), "", SymlinkPolicy.PRESERVE, false),
                            new Store.EntrySink() {
                                @Override
                                public void found(Entry entry) {
                                    n.incrementAndGet();
                                }

                                @Override
                                public void leftOut(String key, String why) {}
                            });
                    if (n.get() != LISTED) {
                        throw new IllegalStateException("listed " + n);
                    }
                    return n;
                }),
                LISTED,
                "files/s");
        for (var line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM")) {
                System.out.println(line);
            }
        }
        long begin = System.nanoTime();
        double cpu = cpuSeconds();
        FileTree.delete(memory + "/many");
        say(
                "delete 1,000,000 files",
                new Taken((System.nanoTime() - begin) / 1e9, cpuSeconds() - cpu),
                LISTED,
                "files/s");
    }

    // ---- the calls themselves

    private void calls() throws Exception {
        var name = disk.toString();
        int n = 200_000;
        say(
                "statx",
                best(() -> {
                    for (int i = 0; i < n; i++) {
                        Posix.stat(name);
                    }
                    return true;
                }),
                n,
                "calls/s");
        say(
                "getuid, the cheapest call",
                best(() -> {
                    for (int i = 0; i < n; i++) {
                        io.forebay.sidecar.os.PosixProcess.uid();
                    }
                    return true;
                }),
                n,
                "calls/s");
        say(
                "a call on the pool",
                best(() -> {
                    for (int i = 0; i < n / 10; i++) {
                        store.stat(name);
                    }
                    return true;
                }),
                n / 10,
                "calls/s");
    }
}
