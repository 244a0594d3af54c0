package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.TarImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageBuildTest {
    @TempDir
    Path folder;

    private Path tree;

    @BeforeEach
    void makeTree() throws IOException {
        tree = Tree.make(folder.resolve("tree"));
    }

    @Test
    void theSameFilesMakeTheSameBytesWheneverAndWhereverTheyWereWritten() throws Exception {
        var first = archive(tree, Architecture.AMD64, "first");
        var later = Tree.make(folder.resolve("elsewhere/tree"));
        Files.setLastModifiedTime(later.resolve("lib/forebay.jar"), FileTime.fromMillis(1));

        assertThat(archive(later, Architecture.AMD64, "second")).hasSameBinaryContentAs(first);
    }

    @Test
    void ofTheLayersOfAnotherVersionOnlyThoseChangeWhoseFilesChanged() throws Exception {
        var before = ImageArchive.read(archive(tree, Architecture.AMD64, "before"));
        Files.writeString(tree.resolve("lib/forebay.jar"), "ours, changed");
        var after = ImageArchive.read(archive(tree, Architecture.AMD64, "after"));

        assertThat(before.layers()).hasSize(5);
        for (int i = 0; i < 5; i++) {
            if (i == 3) {
                assertThat(after.layers().get(i)).isNotEqualTo(before.layers().get(i));
            } else {
                assertThat(after.layers().get(i)).isEqualTo(before.layers().get(i));
            }
        }
    }

    @Test
    void saysHowItIsStartedByWhomAndWhatItIs() throws Exception {
        var image = ImageArchive.read(archive(tree, Architecture.ARM64, "image"));

        assertThat(image.tags()).containsExactly("forebay/sidecar:1.2.3");
        assertThat(image.config().at("/architecture").asText()).isEqualTo("arm64");
        assertThat(image.config().at("/config/User").asText()).isEqualTo("65532:65532");
        assertThat(image.config().at("/config/Entrypoint"))
                .extracting(part -> part.asText())
                .containsExactly("/opt/forebay/runtime/bin/java", "@/opt/forebay/lib/image.args");
        assertThat(image.config().at("/config/Env"))
                .extracting(part -> part.asText())
                .containsExactlyInAnyOrder("LC_ALL=C.UTF-8", "MALLOC_ARENA_MAX=2");
        var labels = image.config().at("/config/Labels");
        assertThat(labels.get("org.opencontainers.image.version").asText()).isEqualTo("1.2.3");
        assertThat(labels.get("org.opencontainers.image.revision").asText()).isEqualTo("abc");
        assertThat(labels.get("org.opencontainers.image.licenses").asText()).isEqualTo("Apache-2.0");
    }

    @Test
    void programsCanBeRunAndNothingCanBeWrittenButTmp() throws Exception {
        var image = ImageArchive.read(archive(tree, Architecture.AMD64, "image"));

        assertThat(image.modes())
                .containsEntry("opt/forebay/runtime/bin/java", 0755)
                .containsEntry("opt/forebay/lib/forebay.jar", 0644)
                .containsEntry("etc/passwd", 0644)
                .containsEntry("tmp/", 0777);
        assertThat(image.modes().entrySet())
                .filteredOn(file -> !file.getKey().equals("tmp/"))
                .allMatch(file -> (file.getValue() & 0022) == 0);
    }

    private Path archive(Path from, Architecture architecture, String name) throws Exception {
        var archive = folder.resolve(name + ".tar");
        Tree.image(from, architecture, folder.resolve(name))
                .to(Containerizer.to(TarImage.at(archive).named("forebay/sidecar:1.2.3")));
        return archive;
    }
}
