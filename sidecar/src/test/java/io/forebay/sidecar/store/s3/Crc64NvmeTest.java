package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class Crc64NvmeTest {
    @Test
    @DisplayName("has the published check value for the digits 1 to 9")
    void checkValue() {
        var crc = new Crc64Nvme();
        crc.update("123456789".getBytes(StandardCharsets.US_ASCII));
        assertThat(crc.getValue()).isEqualTo(0xAE8B_1486_0A79_9888L);
    }

    @Test
    @DisplayName("is the same by bytes and by eights, from arrays and direct buffers, in any pieces")
    void anyPieces() {
        var random = new Random(1);
        for (int i = 0; i < 200; i++) {
            var bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            var single = new Crc64Nvme();
            for (byte b : bytes) {
                single.update(b);
            }
            var pieces = new Crc64Nvme();
            int cut = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
            pieces.update(bytes, 0, cut);
            var rest = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip().position(cut);
            pieces.update(rest);
            assertThat(rest.hasRemaining()).isFalse();
            assertThat(pieces.getValue()).isEqualTo(single.getValue());
        }
    }
}
