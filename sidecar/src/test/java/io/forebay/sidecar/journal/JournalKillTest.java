package io.forebay.sidecar.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, really killed. */
class JournalKillTest {
    private static final int KILLS = 8;

    @TempDir
    Path folder;

    @Test
    @DisplayName("C1 killed at random instants, the journal has everything that append returned for")
    void losesNothing() throws Exception {
        long seed = System.nanoTime();
        System.out.println("JournalKillTest seed " + seed);
        var random = new Random(seed);
        var file = folder.resolve("journal");
        var acknowledged = new HashMap<Long, Integer>();
        for (int kill = 0; kill < KILLS; kill++) {
            oneLife(file, kill * 1_000_000_000L, 1 + random.nextInt(3000), acknowledged);
            var recovered = new HashMap<Long, Integer>();
            var opened = JournalFile.open(file);
            opened.records().forEach(r -> recovered.merge(r.item(), step(r), Math::max));
            opened.journal().close();
            acknowledged.forEach((item, step) -> check(seed, item, step, recovered.get(item)));
        }
        assertThat(acknowledged.size()).isGreaterThan(KILLS);
    }

    private static void check(long seed, long item, int acknowledged, Integer recovered) {
        if (acknowledged == 4) {
            assertThat(recovered).as("seed %d: item %d is over", seed, item).isNull();
        } else if (acknowledged < 3 || recovered != null) {
            // After step 3 its end may have been written, and not yet acknowledged.
            assertThat(recovered).as("seed %d: item %d", seed, item).isNotNull().isGreaterThanOrEqualTo(acknowledged);
        }
    }

    private static int step(JournalRecord r) {
        return switch (r) {
            case JournalRecord.Admitted a -> 0;
            case JournalRecord.Fetched f -> 1;
            case JournalRecord.StepStarted s -> 2;
            case JournalRecord.Granted g -> 3;
            case JournalRecord.StepEnded s -> throw new AssertionError(s);
            case JournalRecord.Staged s -> throw new AssertionError(s);
            case JournalRecord.Kept k -> throw new AssertionError(k);
            case JournalRecord.Over o -> throw new AssertionError(o);
        };
    }

    /** Ends when the child was killed, after about so many lines. */
    private static void oneLife(Path file, long firstItem, int lines, Map<Long, Integer> acknowledged)
            throws IOException, InterruptedException {
        var child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        JournalKillChild.class.getName(),
                        file.toString(),
                        Long.toString(firstItem),
                        "8")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var out = new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII))) {
            int seen = 0;
            for (var line = out.readLine(); line != null; line = out.readLine()) {
                var words = line.split(" ");
                acknowledged.merge(Long.parseLong(words[0]), Integer.parseInt(words[1]), Math::max);
                if (++seen == lines) {
                    child.toHandle().destroyForcibly(); // Process.destroyForcibly would close the pipe with lines in it
                }
            }
            assertThat(seen).as("the child ran until it was killed").isGreaterThanOrEqualTo(lines);
        } finally {
            child.destroyForcibly().waitFor();
        }
    }
}
