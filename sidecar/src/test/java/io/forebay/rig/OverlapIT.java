package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3;
import io.forebay.testing.SlowProxy;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transfers overlap with each other and with the computation; measured against a store behind a slow line. */
@Tag("unproven")
@Tag("slow")
class OverlapIT extends RigTest {
    private static final Duration ROUND_TRIP = Duration.ofMillis(20);
    private static final Pattern SECONDS = Pattern.compile("\"seconds\":([0-9.]+)");

    private String[] s3(SlowProxy line, String... more) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        var all = new java.util.ArrayList<>(java.util.List.of(
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

            var result = rig.run("-o", "json");

            assertThat(result.exit()).as(result.all()).isZero();
            double took = seconds(result);
            // As the commands themselves saw it: on a busy machine a sleep is longer than asked.
            double computed = Files.readAllLines(times).stream()
                            .mapToLong(Long::parseLong)
                            .sum()
                    / 1e9;
            double longer = Math.max(items * transfer, computed);
            System.out.println(String.format(
                    Locale.ROOT,
                    "[overlap] transfers %.1f s, computation %.1f s, run %.1f s: %.3f of the longer, load %.1f",
                    items * transfer,
                    computed,
                    took,
                    took / longer,
                    load()));
            assertThat(took / longer).isLessThanOrEqualTo(1.15);
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

            double in = timed(
                    "stage-in",
                    "--endpoint",
                    line.endpoint().toString(),
                    "--region",
                    "us-east-1",
                    "s3://bucket/in/",
                    folder.toString());
            System.out.println(String.format(
                    Locale.ROOT,
                    "[overlap] in: %.1f s, one at a time at least %.0f s, load %.1f",
                    in,
                    oneAtATime,
                    load()));
            double out = timed(
                    "flush",
                    "--endpoint",
                    line.endpoint().toString(),
                    "--region",
                    "us-east-1",
                    folder.toString(),
                    "s3://bucket/out/");
            System.out.println(String.format(
                    Locale.ROOT,
                    "[overlap] out: %.1f s, one at a time at least %.0f s, load %.1f",
                    out,
                    oneAtATime,
                    load()));

            assertThat(s3.objects().keys().stream().filter(k -> k.startsWith("out/")))
                    .hasSize(files);
            assertThat(s3.count(r -> r.method().equals("HEAD")))
                    .as("Z5 at most one HEAD per object")
                    .isLessThanOrEqualTo(2L * files);
            assertThat(in).as("in").isLessThanOrEqualTo(oneAtATime / 20 * share());
            assertThat(out).as("out").isLessThanOrEqualTo(oneAtATime / 20 * share());
        }
    }

    /** Seconds of a command that ends well, the start of its process included. */
    private double timed(String... args) throws Exception {
        long began = System.nanoTime();
        var result = rig.command(args);
        assertThat(result.exit()).as(result.all()).isZero();
        return (System.nanoTime() - began) / 1e9;
    }

    @Test
    @DisplayName(
            "Z1 2,000 files of 10 bytes from tmpfs to disk: seconds, not the minute that one fsync after the other takes")
    void tinyFilesToDisk() throws Exception {
        var folder = Files.createTempDirectory(io.forebay.sidecar.os.RealFolders.quickest(), "rig-tiny-");
        try {
            for (int i = 0; i < 2000; i++) {
                Files.writeString(folder.resolve("f" + i), "0123456789");
            }
            double took = timed("flush", folder.toString(), "file://" + rig.results() + "/");
            System.out.println(
                    String.format(Locale.ROOT, "[overlap] 2,000 tiny files to disk: %.2f s, load %.1f", took, load()));
            assertThat(took).isLessThanOrEqualTo(2.0 * share());
            assertThat(rig.published()).hasSize(2000);
        } finally {
            io.forebay.sidecar.os.FileTree.delete(folder.toString());
        }
    }

    /** The cases' seconds are for a machine that does nothing else: each process that waits beside us takes its share of the processors. */
    private static double share() {
        return Math.max(1, load() / Runtime.getRuntime().availableProcessors());
    }

    private static double load() {
        return java.lang.management.ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }
}
