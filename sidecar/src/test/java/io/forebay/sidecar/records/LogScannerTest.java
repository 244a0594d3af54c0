package io.forebay.sidecar.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.records.LogEntry.NewGeneration;
import io.forebay.sidecar.records.LogScanner.Extent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LogScannerTest {
    private static final String ID = "0123456789abcdef0123456789abcdef";

    /** A log of batches with so many entries each; entries are numbered through. */
    private static byte[] log(int... entries) {
        var out = new ByteArrayOutputStream();
        int number = 0;
        for (int batch = 0; batch < entries.length; batch++) {
            var body = new ByteArrayOutputStream();
            for (int i = 0; i < entries[batch]; i++) {
                body.writeBytes(LogFormat.line(new NewGeneration(ID, 7, number++)));
            }
            out.writeBytes(LogFormat.header(batch + 1, body.size()));
            out.writeBytes(body.toByteArray());
        }
        return out.toByteArray();
    }

    private record Read(List<Integer> numbers, Extent extent) {}

    private static Read scan(byte[] bytes, boolean sealed) throws Exception {
        var numbers = new ArrayList<Integer>();
        var extent = new LogScanner(new ByteArrayInputStream(bytes), "log", 0).scan(sealed, (line, from, to) -> {
            numbers.add(((NewGeneration) LogFormat.parse(line, from, to)).generation());
        });
        return new Read(numbers, extent);
    }

    @Test
    @DisplayName("a whole log gives its entries in order")
    void wholeLog() throws Exception {
        var read = scan(log(1, 3, 2), true);
        assertThat(read.numbers).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(read.extent).isEqualTo(new Extent(log(1, 3, 2).length, 3, false));
        assertThat(scan(new byte[0], false).extent).isEqualTo(new Extent(0, 0, false));
    }

    @Property
    @Label("C5 the last 1 to 64 bytes cut: the last record is dropped, the others count")
    void cutAtTheEnd(@ForAll @IntRange(min = 1, max = 64) int cut) throws Exception {
        var whole = log(2, 1);
        int last = LogFormat.line(new NewGeneration(ID, 7, 2)).length;
        var read = scan(Arrays.copyOf(whole, whole.length - cut), false);
        assertThat(cut).isLessThan(last + 40);
        assertThat(read.numbers).containsExactly(0, 1);
    }

    @Property
    @Label("C5 cut anywhere: entries before the cut count, none is invented")
    void cutAnywhere(@ForAll @IntRange(min = 0, max = 2000) int at) throws Exception {
        var whole = log(3, 2, 4);
        int length = Math.min(at, whole.length);
        var read = scan(Arrays.copyOf(whole, length), false);
        for (int i = 0; i < read.numbers.size(); i++) {
            assertThat(read.numbers.get(i)).isEqualTo(i);
        }
        assertThat(read.extent.bytes()).isLessThanOrEqualTo(length);
        // What counts now is read the same way once it is sealed.
        assertThat(scan(Arrays.copyOf(whole, (int) read.extent.bytes()), true).numbers)
                .isEqualTo(read.numbers);
    }

    @Property
    @Label("C5 1 byte flipped before the last batch: refused, with file and offset")
    void flippedInside(@ForAll @IntRange(min = 0, max = 10_000) int at, @ForAll @IntRange(min = 0, max = 7) int bit) {
        var whole = log(3, 2, 4);
        int inside = at % log(3, 2).length;
        whole[inside] ^= (byte) (1 << bit);
        assertThatThrownBy(() -> scan(whole, false))
                .isInstanceOf(RecordsDamagedException.class)
                .hasMessageContaining("log is damaged at byte");
    }

    @Property
    @Label("C5 1 byte flipped in the last batch: refused too, since nothing is missing there")
    void flippedInTheLastBatch(
            @ForAll @IntRange(min = 0, max = 10_000) int at, @ForAll @IntRange(min = 0, max = 7) int bit) {
        var whole = log(3, 2, 4);
        int before = log(3, 2).length;
        int inside = before + at % (whole.length - before);
        byte flipped = (byte) (whole[inside] ^ 1 << bit);
        if (flipped == 0 || inside == whole.length - 1) {
            // A zero, or a lost line break at the very end, is what a tear looks like.
            return;
        }
        whole[inside] = flipped;
        assertThatThrownBy(() -> scan(whole, false)).isInstanceOf(RecordsDamagedException.class);
    }

    @Test
    @DisplayName("a block of the last batch that never reached the disk is a tear; one of an earlier batch is damage")
    void zeros() throws Exception {
        var whole = log(3, 2, 4);
        int start = log(3, 2).length;
        Arrays.fill(whole, start + 100, start + 180, (byte) 0);
        var read = scan(whole, false);
        assertThat(read.numbers).startsWith(0, 1, 2, 3, 4).hasSizeLessThan(9);
        assertThat(read.extent.torn()).isTrue();

        var earlier = log(3, 2, 4);
        Arrays.fill(earlier, 100, 180, (byte) 0);
        assertThatThrownBy(() -> scan(earlier, false)).isInstanceOf(RecordsDamagedException.class);
    }

    @Test
    @DisplayName("a tear in a log that was sealed whole is damage")
    void sealedTear() {
        var whole = log(3, 2);
        whole[whole.length - 5] ^= 4;
        assertThatThrownBy(() -> scan(whole, true))
                .isInstanceOf(RecordsDamagedException.class)
                .hasMessageContaining("when it was sealed");
    }

    @Test
    @DisplayName("an entry of a kind that is not known is refused, not skipped")
    void unknownEntry() {
        var line = new String(LogFormat.line(new NewGeneration(ID, 7, 1)), java.nio.charset.StandardCharsets.US_ASCII)
                .substring(9)
                .replace("generation\",\"id", "somethingNew\",\"id");
        var crc = new java.util.zip.CRC32C();
        crc.update(line.strip().getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        var bytes = ("%08x %s\n".formatted(crc.getValue(), line.strip()))
                .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        var all = new ByteArrayOutputStream();
        all.writeBytes(LogFormat.header(1, bytes.length));
        all.writeBytes(bytes);
        assertThatThrownBy(() -> scan(all.toByteArray(), false))
                .isInstanceOf(RecordsDamagedException.class)
                .hasMessageContaining("newer version");
    }

    @Test
    @DisplayName("N1 names of any bytes survive the log")
    void namesOfAnyBytes() throws Exception {
        var name = io.forebay.api.name.NameBytes.decode(
                new byte[] {'a', (byte) 0xFF, '\n', '"', (byte) 0xC3, (byte) 0xA9});
        var body = LogFormat.line(new LogEntry.Settled(name));
        var entry = (LogEntry.Settled) LogFormat.parse(body, 0, body.length - 1);
        assertThat(entry.id()).isEqualTo(name);
    }
}
