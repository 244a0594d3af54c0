package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3;
import io.forebay.testing.SlowProxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Transfers overlap with each other and with the computation; measured against a store behind a slow line. The aims are those of a machine
 * that does nothing else: see {@link Machine}.
 */
@Tag("slow")
@Tag("alone")
class OverlapIT extends RigTest {
    private static final Duration ROUND_TRIP = Duration.ofMillis(20);
    private static final Pattern SECONDS = Pattern.compile("\"seconds\":([0-9.]+)");

    private String[] s3(SlowProxy line, String... more) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        var all = new ArrayList<>(java.util.List.of(
                "  stores: [{uri: 's3://bucket', endpoint: '" + line.endpoint() + "', region: us-east-1}]",
                "  inputs: [{name: in, source: 's3://bucket/in/'}]",
                "  forEach: {input: in}",
                "  outputs: [{name: out, path: '**', to: 's3://bucket/out/'}]",
                "  records: file://" + rig.results() + "/.forebay/"));
        all.addAll(java.util.List.of(more));
        return all.toArray(String[]::new);
    }

    private static double seconds(JobRig.Result result) {
        var found = SECONDS.matcher(result.out());
        assertThat(found.find()).as(result.all()).isTrue();
        return Double.parseDouble(found.group(1));
    }

    @Test
    @DisplayName(
            "100 items on 1 slot, computation equal to transfer time, 20 ms latency: at most 1.15 times the longer of the two sums")
    void makespan() throws Exception {
        int items = 100;
        var content = new byte[512 << 10];
        new java.util.Random(7).nextBytes(content);
        // What one item's way in and out takes by itself: a round trip and its bytes on the line, each way.
        long bandwidth = 4L << 20;
        double transfer = 2 * (ROUND_TRIP.toMillis() / 1e3 + (double) content.length / bandwidth);
        try (var s3 = ScriptedS3.start("bucket");
                var line = new SlowProxy(s3.endpoint(), ROUND_TRIP, bandwidth)) {
            for (int i = 0; i < items; i++) {
                s3.objects().put("in/f" + i, content);
            }
            var times = rig.home().resolve("times");
            rig.job(
                    String.format(
                            Locale.ROOT,
                            "a=$(date +%%s%%N); sleep %.3f; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"; echo $(($(date +%%s%%N) - a)) >>'%s'",
                            transfer,
                            times),
                    s3(line, "  workers: {slots: 1}"));

            var machine = Machine.watch();
            var result = rig.run("-o", "json");
            var spent = machine.spent();

            assertThat(result.exit()).as(result.all()).isZero();
            double took = seconds(result);
            // As the commands themselves saw it: on a busy machine a sleep is longer than asked.
            double computed = Files.readAllLines(times).stream()
                            .mapToLong(Long::parseLong)
                            .sum()
                    / 1e9;
            double longer = Math.max(items * transfer, computed);
            // Handing the slot from item to item is work, and waits for a processor as long as others have them.
            double alone = longer + Math.max(0, took - longer) * spent.left();
            System.out.println(String.format(
                    Locale.ROOT,
                    "[overlap] transfers %.1f s, computation %.1f s, run %.1f s: %.3f of the longer; others left %.0f %% of the processors: %.3f",
                    items * transfer,
                    computed,
                    took,
                    took / longer,
                    spent.left() * 100,
                    alone / longer));
            assertThat(alone / longer).isLessThanOrEqualTo(1.15);
            assertThat(s3.objects().get("out/f99").content()).isEqualTo(content);
            assertThat(s3.count(r -> r.method().equals("HEAD") && r.key().startsWith("in/")))
                    .as("Z5 HEADs of inputs")
                    .isLessThanOrEqualTo(items);
        }
    }

    @Test
    @DisplayName(
            "Z2 10,000 files of 10 KiB in and out again at 20 ms latency: at least 20 times as fast as one at a time")
    void smallFiles() throws Exception {
        int files = 10_000;
        var content = new byte[10 << 10];
        new java.util.Random(8).nextBytes(content);
        double oneAtATime = files * ROUND_TRIP.toMillis() / 1e3;
        try (var s3 = ScriptedS3.start("bucket");
                var line = new SlowProxy(s3.endpoint(), ROUND_TRIP, 0)) {
            for (int i = 0; i < files; i++) {
                s3.objects().put("in/f" + i, content);
            }
            rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
            var folder = rig.home().resolve("staged");

            var in = timed(
                    "stage-in",
                    "--endpoint",
                    line.endpoint().toString(),
                    "--region",
                    "us-east-1",
                    "s3://bucket/in/",
                    folder.toString());
            System.out.println(
                    String.format(Locale.ROOT, "[overlap] in: %s, one at a time at least %.0f s", in, oneAtATime));
            var out = timed(
                    "flush",
                    "--endpoint",
                    line.endpoint().toString(),
                    "--region",
                    "us-east-1",
                    folder.toString(),
                    "s3://bucket/out/");
            System.out.println(
                    String.format(Locale.ROOT, "[overlap] out: %s, one at a time at least %.0f s", out, oneAtATime));

            assertThat(s3.objects().keys().stream().filter(k -> k.startsWith("out/")))
                    .hasSize(files);
            assertThat(s3.count(r -> r.method().equals("HEAD")))
                    .as("Z5 at most one HEAD per object")
                    .isLessThanOrEqualTo(2L * files);
            assertThat(in.alone()).as("in: " + in).isLessThanOrEqualTo(oneAtATime / 20);
            assertThat(out.alone()).as("out: " + out).isLessThanOrEqualTo(oneAtATime / 20);
        }
    }

    /** A command that ends well, the start of its process included. */
    private Machine.Spent timed(String... args) throws Exception {
        var machine = Machine.watch();
        var result = rig.command(args);
        var spent = machine.spent();
        assertThat(result.exit()).as(result.all()).isZero();
        return spent;
    }

    @Test
    @DisplayName(
            "Z1 2,000 files of 10 bytes from tmpfs to disk: seconds, not the minute that one fsync after the other takes")
    void tinyFilesToDisk() throws Exception {
        var folder = Files.createTempDirectory(Path.of("/dev/shm"), "rig-tiny-");
        try {
            for (int i = 0; i < 2000; i++) {
                Files.writeString(folder.resolve("f" + i), "0123456789");
            }
            var bare = Machine.watch();
            durableOneByOne(folder, Files.createDirectory(rig.home().resolve("bare")));
            var least = bare.spent();

            var took = timed("flush", folder.toString(), "file://" + rig.results() + "/");

            System.out.println("[overlap] 2,000 tiny files to disk: " + took);
            System.out.println("[overlap] the bare system calls for them, 16 threads: " + least);
            assertThat(rig.published()).hasSize(2000);
            assertThat(took.alone()).as(took.toString()).isLessThanOrEqualTo(2.0);
        } finally {
            io.forebay.sidecar.os.FileTree.delete(folder.toString());
        }
    }

    /** What nobody can leave out: each file read, written under another name, synced, renamed; the folder synced once. */
    private static void durableOneByOne(Path from, Path to) throws Exception {
        try (var threads = Executors.newFixedThreadPool(16)) {
            var done = new ArrayList<Future<Path>>();
            try (var names = Files.newDirectoryStream(from)) {
                for (var source : names) {
                    done.add(threads.submit(() -> {
                        var temporary = to.resolve(".tmp-" + source.getFileName());
                        try (var file =
                                FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                            file.write(ByteBuffer.wrap(Files.readAllBytes(source)));
                            file.force(true);
                        }
                        return Files.move(temporary, to.resolve(source.getFileName()));
                    }));
                }
            }
            for (var one : done) {
                one.get();
            }
        }
        try (var folder = FileChannel.open(to)) {
            folder.force(true);
        }
    }

    @Test
    @DisplayName("2,000 items of true on 8 slots: at most 2 ms of ours for each, and what starting a process costs")
    void manyShortItems() throws Exception {
        int items = 2000;
        var once = run(1);
        var spawn = Machine.watch();
        var shell = new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 500 ]; do /bin/true; i=$((i+1)); done").start();
        assertThat(shell.waitFor()).isZero();
        double spawned = spawn.spent().ours() / 500 / Runtime.getRuntime().availableProcessors();

        var all = run(items);

        double each = (all.alone() - once.alone()) / (items - 1);
        System.out.println(String.format(
                Locale.ROOT,
                "[overlap] items of true: %.2f ms each, %.2f ms of it the process; one item: %s; %d items: %s",
                each * 1e3,
                spawned * 1e3,
                once,
                items,
                all));
        assertThat(each - spawned).as("seconds for each").isLessThanOrEqualTo(0.002);
    }

    private Machine.Spent run(int items) throws Exception {
        for (int i = 0; i < items; i++) {
            rig.input("f" + i, "x");
        }
        rig.job(
                "true",
                "  workers: {slots: 8}",
                "  steps: [{name: work, command: ['true']}]",
                "  outputs: [{name: out, path: '**', required: false, to: 'file://" + rig.results() + "/'}]");
        return timed("run", "--fresh", rig.home().resolve("job.yaml").toString());
    }
}
