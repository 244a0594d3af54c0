package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class OperatorImageIT {
    private static final long LIMIT_BYTES = 180L << 20;

    @TempDir
    static Path folder;

    private static Container image;

    @BeforeAll
    static void make() throws Exception {
        image = Container.make(folder, "operator");
    }

    @Test
    void isAtMost180MiBUnpacked() throws IOException {
        var read = ImageArchive.read(image.archive());
        System.out.printf(
                "operator image: %.1f MiB unpacked, %.1f MiB as an archive%n",
                read.bytes() / 1048576.0, Files.size(image.archive()) / 1048576.0);

        assertThat(read.bytes()).isLessThanOrEqualTo(LIMIT_BYTES);
        assertThat(read.modes()).containsKey("opt/forebay-operator/lib/operator.aot");
    }

    @Test
    void startsAndReconcilesAsNobodyWithNothingToWriteAndItsAotCache() throws Exception {
        assumeTrue(
                Shell.run(folder, List.of("unshare", "-m", "true")).exit() == 0,
                "mount namespaces and chroot need root");
        // What the cache was trained with, on the image. With -XX:AOTMode=on the JVM refuses to start without the
        // cache.
        var words = new ArrayList<>(List.of(
                Host.java().toString(),
                Shell.checkout().resolve("images/OperatorTraining.java").toString()));
        words.addAll(image.words(
                Container.NO_FILES,
                List.of(),
                "/opt/forebay-operator/runtime/bin/java",
                "-XX:AOTMode=on",
                "@/opt/forebay-operator/lib/image.args"));

        var ended = Shell.run(folder, words);

        assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
        ended.out().lines().filter(line -> line.contains("started in")).forEach(System.out::println);
    }
}
