package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TreeLayerTest {
    @ParameterizedTest
    @CsvSource({
        "runtime/lib/modules, RUNTIME",
        "lib/picocli-4.7.7.jar, LIBRARIES",
        "lib/forebay.jar, PROGRAM",
        "lib/forebay-crds-1.jar, PROGRAM",
        "lib/forebay-step, PROGRAM",
        "lib/forebay.aot, AOT_CACHE",
        "app/lib/main/io.quarkus.quarkus-core-3.jar, LIBRARIES",
        "app/lib/main/io.forebay.forebay-crds-1.jar, PROGRAM",
        "app/quarkus-run.jar, PROGRAM",
        "app/app/operator.jar, PROGRAM"
    })
    void whatChangesOftenIsApartFromWhatDoesNot(Path file, TreeLayer layer) {
        assertThat(TreeLayer.of(file)).isEqualTo(layer);
    }
}
