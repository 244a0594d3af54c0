package io.forebay.sidecar.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.message.Messages.ItemInput;
import io.forebay.message.Messages.ItemLease;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("alone")
class JournalSpeedTest {
    @TempDir
    Path folder;

    @Test
    @DisplayName("C5 a journal of 100,000 living records is recovered within 2 s")
    void recoversFast() throws Exception {
        var file = folder.resolve("journal");
        int items = 50_000;
        try (var journal = JournalFile.open(file).journal()) {
            for (int i = 0; i < items; i++) {
                var key = "sub-%05d/anat/sub-%05d_T1w.nii.gz".formatted(i, i);
                var input = new ItemInput(
                        "chunks", "s3://brain/chunks/" + key, key, 123_456_789L, "s3:1:2:abc:", 0644, 17L, null);
                journal.note(new JournalRecord.Admitted(
                        new ItemLease(i, "0123456789abcdef", 1, 1, key, List.of(input), 0, false, List.of()),
                        0,
                        "3d6b6dce-5f0f-4e2c-9f4f-0a4f6c8b8d11",
                        "1y2p0ij32e8e7"));
                journal.note(new JournalRecord.Fetched(i, 1, 1, List.of(0xFFFF_FFFFL)));
            }
        }
        System.out.println("journal of " + Files.size(file) + " bytes");
        // The best of three: other tests may keep the processors busy.
        var best = Duration.ofDays(1);
        for (int i = 0; i < 3; i++) {
            var count = new long[1];
            long start = System.nanoTime();
            try (var journal =
                    JournalFile.open(file, OnDamage.REFUSE, r -> count[0]++).journal()) {
                var took = Duration.ofNanos(System.nanoTime() - start);
                System.out.println("recovered in " + took.toMillis() + " ms");
                best = took.compareTo(best) < 0 ? took : best;
                assertThat(count[0]).isEqualTo(2L * items);
                assertThat(journal).isNotNull();
            }
        }
        assertThat(best).isLessThan(Duration.ofSeconds(2));
    }
}
