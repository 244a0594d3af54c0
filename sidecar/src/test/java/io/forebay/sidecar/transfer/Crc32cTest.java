package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.store.Crc32c;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class Crc32cTest {

    private static long of(byte[] bytes) {
        return Crc32c.of(ByteBuffer.wrap(bytes));
    }

    private static byte[] join(byte[] a, byte[] b) {
        var both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    @Property
    void combinesToTheChecksumOfBoth(@ForAll byte[] a, @ForAll byte[] b) {
        assertThat(Crc32c.combine(of(a), of(b), b.length)).isEqualTo(of(join(a, b)));
    }

    @Property
    void knowsTheChecksumOfZeros(@ForAll @IntRange(max = 200_000) int length) {
        assertThat(Crc32c.zeros(length)).isEqualTo(of(new byte[length]));
    }

    @Test
    void knowsTheTestVectorsOfRfc3720() {
        assertThat(Crc32c.zeros(32)).isEqualTo(0x8a9136aaL);
        var ones = new byte[32];
        Arrays.fill(ones, (byte) 0xff);
        assertThat(of(ones)).isEqualTo(0x62a8ab43L);
    }

    @Test
    void combinesLengthsThatNoMemoryHolds() {
        long tib = 1L << 40;
        long half = Crc32c.zeros(tib);
        assertThat(Crc32c.combine(half, half, tib)).isEqualTo(Crc32c.zeros(2 * tib));
        assertThat(Crc32c.combine(Crc32c.zeros(tib - 1), Crc32c.zeros(1), 1)).isEqualTo(half);
    }

    @Test
    void refusesWhatIsNoChecksumOrLength() {
        assertThatThrownBy(() -> Crc32c.combine(-1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Crc32c.combine(0, 0, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Property(tries = 200)
    void aFileMayArriveInAnyOrder(
            @ForAll @Size(min = 1, max = 30) java.util.List<@IntRange(max = 5000) Integer> lengths, @ForAll long seed) {
        var bytes = new byte[lengths.stream().mapToInt(i -> i).sum()];
        new Random(seed).nextBytes(bytes);
        var order = new ArrayList<int[]>();
        int at = 0;
        for (int length : lengths) {
            order.add(new int[] {at, length});
            at += length;
        }
        Collections.shuffle(order, new Random(seed));
        var checksum = new ChunkedChecksum();
        for (var piece : order) {
            checksum.add(piece[0], piece[1], of(Arrays.copyOfRange(bytes, piece[0], piece[0] + piece[1])));
        }
        assertThat(checksum.value(bytes.length)).isEqualTo(of(bytes));
    }

    @Test
    void aGapOrAnOverlapIsNoChecksum() {
        var checksum = new ChunkedChecksum();
        checksum.add(0, 10, 1);
        checksum.add(20, 10, 1);
        assertThatThrownBy(() -> checksum.value(30)).hasMessageContaining("20 of 30");
        assertThatThrownBy(() -> checksum.add(5, 10, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> checksum.add(15, 10, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> checksum.add(20, 10, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(new ChunkedChecksum().value(0)).isEqualTo(Crc32c.EMPTY);
    }
}
