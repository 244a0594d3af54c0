package io.forebay.api.crd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is generated and checked in is what would be generated now. With -Dforebay.write it is written. */
class GeneratedFilesTest {
    /** Surefire runs a module's tests in its folder. */
    private static final Path MODULE = Path.of("").toAbsolutePath();

    static Stream<Arguments> files() {
        return Stream.of(
                Arguments.of(MODULE.resolve("pipelinejobs.forebay.io-v1.yml"), Crd.yaml()),
                Arguments.of(MODULE.resolve("../docs/reference/pipelinejob.md").normalize(), ReferencePage.markdown()));
    }

    @ParameterizedTest(name = "{0} is current")
    @MethodSource("files")
    void isCurrent(Path file, String generated) throws IOException {
        if (System.getProperty("forebay.write") != null) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, generated);
        }
        assertThat(file)
                .as("run: mvn -pl crds test -Dtest=GeneratedFilesTest -Dforebay.write")
                .content()
                .isEqualTo(generated);
    }
}
