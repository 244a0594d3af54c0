package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is kept of what failed attempts printed, where users are sent to look for it; and what they are told was not shown. */
class FailedLogsIT extends ApartTest {
    private static final String LOUD = "seq 1 400000; exit 3";
    private static final String ONCE = "  retry: {item: 0}";

    private List<Path> logs() throws IOException {
        try (var files = Files.list(rig.records().resolve("logs"))) {
            return files.sorted().toList();
        }
    }

    private static void assertWhole(Path log) throws IOException {
        assertThat(Files.size(log)).isBetween(1L << 20, (1L << 20) + 2000);
        assertThat(log).content().satisfies(text -> {
            assertThat(text.lines().limit(2).toList().getLast()).startsWith("StepFailed: ");
            assertThat(text).contains("--- step work, exit code 3").contains("\n1\n2\n3\n");
            assertThat(text).containsPattern("\\n\\[\\.\\.\\. [0-9]+ bytes left out \\.\\.\\.]\\n");
            assertThat(text).endsWith("\n399999\n400000\n");
        });
    }

    @Test
    @DisplayName("a failed attempt that printed much: the first and the last 512 KiB of it are in the records' logs")
    void inOneProcess() throws Exception {
        rig.input("a", "v");
        rig.job(LOUD, ONCE);

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(logs()).hasSize(1);
        assertWhole(logs().getFirst());
    }

    @Test
    @DisplayName(
            "one that printed little, and one of several steps: each attempt has one file, with all that its steps printed")
    void little() throws Exception {
        rig.input("a", "v");
        rig.job("", """
                  steps:
                  - {name: first, command: [sh, -c, 'seq 1 10000']}
                  - {name: second, command: [sh, -c, 'echo so; exit 4']}
                """.stripTrailing(), "  retry: {item: 1}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(logs())
                .hasSize(2)
                .allSatisfy(log -> assertThat(log)
                        .content()
                        .contains("--- step first, exit code 0", "\n1\n2\n3\n", "\n9999\n10000\n")
                        .contains("--- step second, exit code 4")
                        .endsWith(" ms\nso\n"));
    }

    @Test
    @DisplayName(
            "200 MB on one line, faster than they can be shown: the end tells all of them but what was shown, not a part")
    void oneLongLine() throws Exception {
        rig.input("a", "v");
        rig.job("head -c 200000000 /dev/zero | tr '\\0' x; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        var told = Pattern.compile("([0-9.]+) MiB that steps printed were not shown")
                .matcher(result.all());
        assertThat(told.find()).as("it is told").isTrue();
        // 190.7 MiB, and the label before each piece of 4 KiB.
        assertThat(Double.parseDouble(told.group(1))).isBetween(190.6, 191.2);
    }

    @Test
    @DisplayName("apart: the worker's log of a failed attempt is whole in the records when all have ended")
    void ofAWorker() throws Exception {
        rig.input("a", "v").input("b", "v");
        rig.job(LOUD, ONCE);
        var coordinator = apart.coordinator();
        var worker = apart.worker("a");

        var result = rig.await(coordinator);
        var ofWorker = rig.await(worker);

        assertThat(result.exit()).as(result.all() + ofWorker.all()).isEqualTo(1);
        assertThat(logs()).hasSize(2);
        for (var log : logs()) {
            assertWhole(log);
        }
    }

    private long logsInBuffers() throws IOException {
        long found = 0;
        for (var buffer : buffers()) {
            try (var files = Files.walk(buffer)) {
                found += files.filter(f -> f.toString().endsWith(".log")).count();
            }
        }
        return found;
    }

    @Test
    @DisplayName(
            "M1 what commands printed leaves the worker's control folder with the end of their attempts, failed ones too")
    void doNotPileUp() throws Exception {
        for (int i = 0; i < 20; i++) {
            rig.input("f%02d".formatted(i), "v");
        }
        var gate = rig.home().resolve("gate");
        rig.job(
                "seq 1 5000; case $FOREBAY_NAME in f05) exit 3;; f19) while [ ! -e \"" + gate
                        + "\" ]; do sleep 0.05; done;; esac; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                "  workers: {slots: 2}",
                ONCE);
        var run = rig.startRun();
        eventually("all but the failed and the last are published", () -> {
            var names = rig.results().toFile().list((folder, name) -> !name.startsWith("."));
            return names != null && names.length == 18;
        });
        try {
            eventually("only the one that runs has a log here", () -> {
                try {
                    return logsInBuffers() == 1;
                } catch (IOException e) {
                    // One was removed while it was looked at.
                    return false;
                }
            });
        } finally {
            Files.createFile(gate);
        }
        assertThat(rig.await(run).exit()).isEqualTo(1);
        assertThat(logs()).hasSize(1);
    }
}
