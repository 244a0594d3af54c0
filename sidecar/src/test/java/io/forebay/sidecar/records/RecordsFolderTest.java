package io.forebay.sidecar.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.value.StoreUri;
import io.forebay.testing.RecordsMemoryStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordsFolderTest {
    @TempDir
    Path home;

    @Test
    @DisplayName(
            "C1 temporary names that a killed coordinator left are removed, beside the logs of attempts too; nothing else is")
    void leftovers() throws Exception {
        Files.createDirectories(home.resolve("logs"));
        var left = java.util.List.of(".fb-c-1", "logs/.fb-o-2");
        var stay = java.util.List.of("job.json", "logs/item-000001-1-attempt-1.log");
        for (var name : left) {
            Files.createFile(home.resolve(name));
        }
        for (var name : stay) {
            Files.createFile(home.resolve(name));
        }

        new RecordsFolder(
                        new RecordsMemoryStore(),
                        StoreUri.parse("file://" + home + "/"),
                        new StoreRetry(Duration.ZERO, new Random(1), d -> {}))
                .removeLeftovers();

        assertThat(left).allSatisfy(name -> assertThat(home.resolve(name)).doesNotExist());
        assertThat(stay).allSatisfy(name -> assertThat(home.resolve(name)).exists());
    }
}
