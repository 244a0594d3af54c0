package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What of an output is kept, around each bound. */
class OutputBoundsTest {
    private static final int KEPT = BoundedLog.KEPT;

    @ParameterizedTest
    @ValueSource(
            ints = {
                0,
                1,
                KEPT - 1,
                KEPT,
                KEPT + 1,
                2 * KEPT - 1,
                2 * KEPT,
                2 * KEPT + 1,
                3 * KEPT,
                3 * KEPT + 7,
                5_000_000
            })
    void keepsBothEnds(int size, @TempDir Path folder) throws IOException {
        var bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        var random = new Random(1);
        var tail = new Tail();
        try (var log = new BoundedLog(folder.resolve("log"))) {
            for (int at = 0; at < size; ) {
                int n = Math.min(1 + random.nextInt(70_000), size - at);
                var piece = Arrays.copyOfRange(bytes, at, at + n);
                log.add(piece, n);
                tail.add(piece, n);
                at += n;
            }
        }
        assertThat(tail.bytes()).isEqualTo(Arrays.copyOfRange(bytes, Math.max(0, size - Tail.SIZE), size));
        var kept = Files.readAllBytes(folder.resolve("log"));
        if (size <= 2 * KEPT) {
            assertThat(kept).isEqualTo(bytes);
            return;
        }
        var cut = "\n[... %d bytes left out ...]\n".formatted(size - 2 * KEPT).getBytes(StandardCharsets.UTF_8);
        assertThat(kept).hasSize(2 * KEPT + cut.length);
        assertThat(Arrays.copyOf(kept, KEPT)).isEqualTo(Arrays.copyOf(bytes, KEPT));
        assertThat(Arrays.copyOfRange(kept, KEPT, KEPT + cut.length)).isEqualTo(cut);
        assertThat(Arrays.copyOfRange(kept, KEPT + cut.length, kept.length))
                .isEqualTo(Arrays.copyOfRange(bytes, size - KEPT, size));
    }

    @Test
    void prefixesLines() {
        var lines = new LinePrefix("a\nb\udcff");
        assertThat(text(lines.add("one\ntw".getBytes(StandardCharsets.UTF_8), 6)))
                .isEqualTo("[a?b?] one\n");
        assertThat(lines.unfinished()).isTrue();
        assertThat(text(lines.add("o\n\n".getBytes(StandardCharsets.UTF_8), 3))).isEqualTo("[a?b?] two\n[a?b?] \n");
        assertThat(lines.unfinished()).isFalse();
        var out = text(lines.add("x".repeat(9000).getBytes(StandardCharsets.UTF_8), 9000)) + text(lines.rest());
        assertThat(out.lines())
                .hasSize(3)
                .allSatisfy(l -> assertThat(l).startsWith("[a?b?] x").hasSizeLessThan(4096));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void trueModesOfAFileThatIsNoneAreRefusedAndATornEndIsLeftOut(@TempDir Path folder) throws IOException {
        var file = folder.resolve("modes");
        assertThat(TrueModes.read(file).trueMode(1, 2, 0660)).isEmpty();
        Files.writeString(file, "1 2 600 660 /a\n b\0001 2 640 660 /a\0001 3 600 66");
        var modes = TrueModes.read(file);
        assertThat(modes.trueMode(1, 2, 0660)).hasValue(0640);
        assertThat(modes.trueMode(1, 2, 0664)).isEmpty();
        assertThat(modes.trueMode(1, 3, 0660)).isEmpty();
        Files.writeString(file, "no modes\0");
        assertThatThrownBy(() -> TrueModes.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no modes");
    }
}
