package io.forebay.sidecar.store.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.api.value.StoreUri.Scheme;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.RealFolders;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that publishes, at random instants, and looks at what it has left. */
@Timeout(300)
class PublishCrashTest {
    private static final int KILLS = Integer.getInteger("forebay.test.kills", 12);
    private static final int SIZE = 8 << 20;

    private Path root;

    @BeforeEach
    void make() throws Exception {
        root = Path.of(RealFolders.create(RealFolders.parents().findFirst().orElseThrow()));
    }

    @AfterEach
    void remove() throws Exception {
        FileTree.delete(root.toString());
    }

    @Test
    @DisplayName(
            "P1 killed at random instants, the final name is absent or whole, and one discard leaves no temporary name")
    void isWholeWheneverItIsKilled() throws Exception {
        long seed = Long.getLong("forebay.test.seed", System.nanoTime());
        System.out.println("PublishCrashTest: " + KILLS + " kills, -Dforebay.test.seed=" + seed);
        var random = new Random(seed);
        int next = 0;
        int leftBehind = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            var said = runAndKill(next, random);
            int published = last(said, "published ", next - 1);
            // Between the rename and the word of it the next one may be visible already.
            int visible = visible();
            assertThat(visible)
                    .as("seed " + seed + ", kill " + kill + ", said " + said)
                    .isBetween(published, published + 1);
            next = visible + 1;
            leftBehind += PosixFixture.temporaryNames(root).size();
            try (var store = PosixStore.open(Scheme.FILE)) {
                store.discard(store.prepare(PublishLoop.request(root, SIZE)));
            }
            assertThat(PosixFixture.temporaryNames(root)).isEmpty();
        }
        System.out.println("PublishCrashTest: " + next + " versions published, " + leftBehind
                + " temporary files found and removed");
        assertThat(next).isPositive();
    }

    private List<String> runAndKill(int first, Random random) throws Exception {
        var process = new ProcessBuilder(PublishLoop.command(root, SIZE, first, Integer.MAX_VALUE))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var said = new ConcurrentLinkedDeque<String>();
        var reader = Thread.ofPlatform()
                .start(() -> process.inputReader(StandardCharsets.UTF_8).lines().forEach(said::add));
        PosixFixture.await("it has begun", () -> !said.isEmpty() || !process.isAlive());
        // Waiting for its end, which does not come, is the delay.
        assertThat(process.waitFor(random.nextInt(300_000), TimeUnit.MICROSECONDS))
                .isFalse();
        process.destroyForcibly().waitFor();
        reader.join();
        return new ArrayList<>(said);
    }

    private static int last(List<String> said, String word, int none) {
        return said.stream()
                .filter(s -> s.startsWith(word))
                .mapToInt(s -> Integer.parseInt(s.substring(word.length())))
                .max()
                .orElse(none);
    }

    /** The version that is visible; -1: none. */
    private int visible() throws Exception {
        var file = root.resolve(PublishLoop.FOLDER).resolve(PublishLoop.NAME);
        if (!Files.exists(file)) {
            return -1;
        }
        var bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        assertThat(bytes.remaining()).isEqualTo(SIZE);
        long n = bytes.getLong();
        while (bytes.hasRemaining()) {
            assertThat(bytes.getLong()).isEqualTo(n);
        }
        return Math.toIntExact(n);
    }

    @Test
    @DisplayName("P11 fsync of the file, then rename, then fsync of its folder; folders that were made are synced too")
    void syncsInTheRightOrder(@TempDir Path folder) throws Exception {
        assumeTrue(hasStrace(), "the order of the system calls was not looked at: there is no strace here");
        var trace = folder.resolve("trace");
        var command = new ArrayList<>(List.of(
                "strace", "-f", "-y", "-o", trace.toString(), "-e", "trace=fsync,rename,renameat,renameat2,mkdirat"));
        command.addAll(PublishLoop.command(root, 100_000, 0, 0));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assumeTrue(!output.contains("Operation not permitted"), () -> "strace may not trace here: " + output);
        assertThat(process.waitFor()).as(output).isZero();
        var calls = Files.readAllLines(trace).stream()
                .filter(l -> l.contains(root.toString()))
                .map(l -> l.replaceFirst("^\\d+ +", "")
                        .replaceAll("\\d+<" + root + "(/[^>]*)?>", "<$1>")
                        .replaceAll(" += 0$", ""))
                .toList();
        assertThat(calls)
                .containsExactly(
                        "mkdirat(<>, \"sub\", 0777)",
                        "fsync(<>)",
                        "fsync(</sub/.fb-loop>)",
                        "renameat(</sub>, \".fb-loop\", </sub>, \"file\")",
                        "fsync(</sub>)");
    }

    private static boolean hasStrace() {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(f -> Files.isExecutable(Path.of(f, "strace")));
    }
}
