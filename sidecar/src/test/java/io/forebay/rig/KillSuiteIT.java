package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.testing.VersityGw;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The engine is killed with SIGKILL at random instants, again and again, and started again with the same command, until the job
 * has ended. Then destination and records are compared with the truth: every output byte for byte, each item's outputs from one
 * attempt alone, nothing half visible at any kill, no item run again once it was done, nothing left over.
 *
 * <p>{@code -Dforebay.kills=N} kills in all (default 210, a third per destination); {@code -Dforebay.seed=S} repeats a run.
 */
@Tag("kill")
class KillSuiteIT {
    private static final int KILLS = Integer.getInteger("forebay.kills", 210);
    private static final int KILLS_PER_JOB = 14;
    private static final int SMALL = 24;
    private static final int LARGE = 3;
    private static final int LARGE_BYTES = 9 << 20;
    /** Kills come from this long after the start: some in the start itself, most while items are on their way. */
    private static final int EARLIEST_MILLIS = 300;

    private static final int SPREAD_MILLIS = 2500;

    @Test
    @DisplayName(
            "C9 P1 P7 C1 killed at random on its way to a file system: nothing lost, nothing twice, nothing half visible")
    void folder(@TempDir Path home) throws Exception {
        try (var shelf = new Shelf.Folder(home.resolve("shelf"))) {
            suite(home, shelf, null);
        }
    }

    @Test
    @DisplayName("C9 P1 P7 C1 killed at random on its way to S3 (s3proxy), records in the bucket")
    void s3proxy(@TempDir Path home) throws Exception {
        try (var shelf = Shelf.Bucket.ofS3Proxy(home.resolve("server"))) {
            suite(home, shelf, null);
        }
    }

    @Test
    @DisplayName("C9 P1 P7 C1 killed at random on its way to S3 (versitygw), records in a folder")
    void versitygw(@TempDir Path home) throws Exception {
        assumeTrue(VersityGw.available());
        try (var shelf = Shelf.Bucket.ofVersity(home.resolve("server"))) {
            suite(home, shelf, "file://" + home.resolve("records") + "/");
        }
    }

    private static void suite(Path home, Shelf shelf, String records) throws Exception {
        long seed = Long.getLong("forebay.seed", System.nanoTime());
        System.err.println("kill suite on " + shelf.uri("") + ": -Dforebay.seed=" + seed);
        var random = new Random(seed);
        int kills = 0;
        int jobs = 0;
        while (kills < KILLS / 3) {
            var folder = Files.createDirectories(home.resolve("job-" + jobs));
            try (var rig = new JobRig(folder)) {
                kills += new Job(rig, shelf, "j" + jobs, records, random)
                        .run(Math.min(KILLS_PER_JOB, KILLS / 3 - kills));
            }
            jobs++;
        }
        System.err.println(
                "kill suite on " + shelf.uri("") + ": " + kills + " kills in " + jobs + " jobs, nothing lost");
    }

    /** One job, killed until the quota is used up, then left to end. */
    private static final class Job {
        private final JobRig rig;
        private final Shelf shelf;
        private final String folder;
        private final Random random;
        private final Path starts;
        private final Map<String, byte[]> inputs = new HashMap<>();
        private final Path recordsFolder;

        Job(JobRig rig, Shelf shelf, String folder, String records, Random random) throws IOException {
            this.rig = rig;
            this.shelf = shelf;
            this.folder = folder;
            this.random = random;
            this.starts = rig.home().resolve("starts");
            this.recordsFolder = records == null ? null : rig.home().getParent().resolve("records");
            Files.createDirectories(starts);
            for (int i = 0; i < SMALL + LARGE; i++) {
                var content = new byte[i < SMALL ? random.nextInt(40_000) : LARGE_BYTES + random.nextInt(1000)];
                random.nextBytes(content);
                var name = "sub-%02d/in.bin".formatted(i);
                inputs.put(name, content);
                shelf.put(folder + "/in/" + name, content);
            }
            shelf.environment().forEach(rig::environment);
            var lines = new ArrayList<>(shelf.stores());
            lines.add("  inputs: [{name: in, source: '" + shelf.uri(folder + "/in") + "'}]");
            lines.add("  forEach: {input: in}");
            lines.add("  outputs:");
            lines.add("  - {name: out, path: '**', to: '" + shelf.uri(folder + "/out") + "$(DIR)/'}");
            if (records != null) {
                lines.add("  records: " + records);
            }
            lines.add("  retry: {item: 50}");
            // Every output of an attempt carries the same nonce, so that a mixture shows.
            rig.job("""
                    nonce=$(head -c 8 /dev/urandom | od -An -tx8 | tr -d ' ')
                    echo "$nonce" > "%s/$(basename "$FOREBAY_DIR").$nonce"
                    cp "$FOREBAY_INPUT" "$FOREBAY_OUT/copy"
                    sleep 0.0$((0x$(echo $nonce | cut -c1)%% 10))
                    { echo "$nonce"; cat "$FOREBAY_INPUT"; } > "$FOREBAY_OUT/first"
                    { echo "$nonce"; cat "$FOREBAY_INPUT"; } > "$FOREBAY_OUT/second"
                    """.formatted(starts), lines.toArray(String[]::new));
        }

        /** @return kills done */
        int run(int quota) throws Exception {
            int kills = 0;
            var startsOfDone = new HashMap<String, Integer>();
            while (kills < quota) {
                var process = rig.startRun("--progress", "none");
                if (process.waitFor(EARLIEST_MILLIS + random.nextInt(SPREAD_MILLIS), TimeUnit.MILLISECONDS)) {
                    assertThat(process.exitValue())
                            .as("ended by itself: %s", rig.await(process).all())
                            .isZero();
                    break;
                }
                process.destroyForcibly().waitFor();
                kills++;
                nothingHalfVisible();
                doneItemsStayDone(startsOfDone);
            }
            var end = rig.run("--progress", "none");
            assertThat(end.exit()).as(end.all()).isZero();
            compareWithTruth();
            doneItemsStayDone(startsOfDone);
            assertThat(shelf.leftovers()).as("temporary names and open uploads").isEmpty();
            var verified = rig.command("verify", rig.home().resolve("job.yaml").toString());
            assertThat(verified.exit()).as(verified.all()).isZero();
            var again = rig.run("--progress", "none");
            assertThat(again.exit()).as(again.all()).isZero();
            doneItemsStayDone(startsOfDone);
            return kills;
        }

        /** Whatever is at a final name is whole. */
        private void nothingHalfVisible() throws IOException {
            shelf.all(folder + "/out").forEach((name, content) -> {
                var expected = inputs.get(name.substring(0, name.lastIndexOf('/')) + "/in.bin");
                assertThat(body(name, content)).as("%s", name).isEqualTo(expected);
            });
        }

        private static byte[] body(String name, byte[] content) {
            if (name.endsWith("/copy")) {
                return content;
            }
            assertThat(content.length).as("%s has its first line", name).isGreaterThanOrEqualTo(17);
            return java.util.Arrays.copyOfRange(content, 17, content.length);
        }

        /** An item whose completion is on record does not start again. */
        private void doneItemsStayDone(Map<String, Integer> startsOfDone) throws IOException {
            for (var item : completed()) {
                int now = startsOf(item);
                var before = startsOfDone.putIfAbsent(item, now);
                if (before != null) {
                    assertThat(now).as("starts of %s, which was done", item).isEqualTo(before);
                }
            }
        }

        private int startsOf(String item) throws IOException {
            try (var files = Files.newDirectoryStream(starts, item + ".*")) {
                int n = 0;
                for (var ignored : files) {
                    n++;
                }
                return n;
            }
        }

        /** Subjects with a completion record, read from the records as plain text. */
        private Set<String> completed() throws IOException {
            var found = new HashSet<String>();
            for (var text : recordTexts()) {
                // The last line may be cut: a record counts only as a whole line.
                for (var line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n")) {
                    var key = line.contains("\"t\":\"completed\"")
                            ? line.replaceFirst(".*\"key\":\"([^\"]*)\".*", "$1")
                            : "";
                    if (!key.isEmpty()) {
                        found.add(key.substring(0, key.indexOf('/')));
                    }
                }
            }
            return found;
        }

        private List<String> recordTexts() throws IOException {
            var texts = new ArrayList<String>();
            if (recordsFolder != null || shelf instanceof Shelf.Folder) {
                var base = recordsFolder != null
                        ? recordsFolder.resolve(rig.name())
                        : Path.of(shelf.uri(folder + "/out").substring("file://".length()))
                                .resolve(".forebay")
                                .resolve(rig.name());
                if (!Files.isDirectory(base)) {
                    return texts;
                }
                try (var logs = Files.newDirectoryStream(base, "log-*")) {
                    for (var log : logs) {
                        texts.add(Files.readString(log, StandardCharsets.ISO_8859_1));
                    }
                }
                return texts;
            }
            for (var e : ((Shelf.Bucket) shelf)
                    .raw(folder + "/out/.forebay/" + rig.name() + "/log-")
                    .entrySet()) {
                texts.add(Shelf.text(e.getValue()) + "\n");
            }
            return texts;
        }

        private void compareWithTruth() throws IOException {
            var all = shelf.all(folder + "/out");
            assertThat(all).hasSize(3 * inputs.size());
            nothingHalfVisible();
            for (var name : inputs.keySet()) {
                var sub = name.substring(0, name.indexOf('/'));
                var nonce = Shelf.text(all.get(sub + "/first")).substring(0, 16);
                assertThat(Shelf.text(all.get(sub + "/second")).substring(0, 16))
                        .as("attempt of %s", sub)
                        .isEqualTo(nonce);
                assertThat(starts.resolve(sub + "." + nonce))
                        .as("the attempt of %s really ran", sub)
                        .exists();
            }
        }
    }
}
