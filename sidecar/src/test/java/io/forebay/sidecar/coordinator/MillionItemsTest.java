package io.forebay.sidecar.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The coordinator's memory does not grow with the job beyond its budget: a process of its own, with the launcher's options. */
@Tag("slow")
class MillionItemsTest {
    private static final long MOST_KIB = 256 << 10;
    private static final int ITEMS = 1_000_000;

    @TempDir
    Path folder;

    @Test
    @DisplayName("M2 1,000,000 items are planned, leased, committed and completed, and found done by the next run,"
            + " each time within 256 MiB")
    void withinItsBudget() throws Exception {
        var first = run("first");
        assertThat(first.text())
                .contains("planned " + ITEMS)
                .contains("ended with DURABLE, done " + ITEMS + ", skipped 0");
        assertThat(first.peakKib()).as(first.text()).isBetween(1L, MOST_KIB - 1);

        var second = run("second");
        assertThat(second.text()).contains("ended with DURABLE, done " + ITEMS + ", skipped " + ITEMS);
        assertThat(second.peakKib()).as(second.text()).isBetween(1L, MOST_KIB - 1);
    }

    private record Ended(String text, long peakKib) {}

    private Ended run(String name) throws Exception {
        var argv = new ArrayList<String>();
        argv.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        argv.add("@" + Path.of("..", "tools", "options").toRealPath());
        // What the launcher gives the heap (tools/start.sh).
        argv.add("-Xmx96m");
        argv.addAll(
                List.of("-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        argv.addAll(List.of(MillionItems.class.getName(), folder.toString(), Integer.toString(ITEMS)));
        var log = folder.resolve(name + ".log");
        var builder = new ProcessBuilder(argv).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("MALLOC_ARENA_MAX", "2");
        var process = builder.start();
        try {
            assertThat(process.waitFor(8, TimeUnit.MINUTES)).as("it ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        var text = Files.readString(log);
        System.out.println("[million] " + name + " run:\n" + text);
        assertThat(process.exitValue()).as(text).isZero();
        var peak = text.lines().filter(l -> l.startsWith("VmHWM:")).findFirst().orElseThrow();
        return new Ended(text, Long.parseLong(peak.replaceAll("\\D", "")));
    }
}
