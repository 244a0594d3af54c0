package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class SidecarImageIT {
    private static final long LIMIT_BYTES = 110L << 20;
    private static final String JAVA = "/opt/forebay/runtime/bin/java";
    private static final String ARGUMENTS = "@/opt/forebay/lib/image.args";

    @TempDir
    static Path folder;

    private static boolean compiler;
    private static Container image;

    @BeforeAll
    static void make() throws Exception {
        compiler = Shell.run(folder, List.of("sh", "-c", "command -v \"${CC:-cc}\""))
                        .exit()
                == 0;
        if (compiler) {
            image = Container.make(folder, "sidecar");
        }
    }

    /** Before each, since what is left out before all is told by nobody. */
    @BeforeEach
    void needsACompiler() {
        assumeTrue(compiler, "the image has the step runner, which needs a C compiler");
    }

    @Test
    void isAtMost110MiBUnpacked() throws IOException {
        var read = ImageArchive.read(image.archive());
        System.out.printf(
                "sidecar image: %.1f MiB unpacked, %.1f MiB as an archive%n",
                read.bytes() / 1048576.0, Files.size(image.archive()) / 1048576.0);

        assertThat(read.bytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    }

    @Test
    void hasNoShellAndNothingToWriteOutsideTmp() throws IOException {
        var read = ImageArchive.read(image.archive());

        assertThat(read.modes().keySet()).noneMatch(path -> path.matches("(usr/)?bin/.*|.*/(sh|bash|busybox)"));
        assertThat(read.modes().entrySet())
                .filteredOn(file -> (file.getValue() & 0022) != 0)
                .extracting(file -> file.getKey())
                .containsExactly("tmp/");
        assertThat(read.modes().keySet())
                .contains(
                        "opt/forebay/lib/forebay-step",
                        "opt/forebay/lib/forebay.aot",
                        "opt/forebay/lib/image.args",
                        "opt/forebay/LICENSE");
    }

    @Test
    void startsAsNobodyWithNothingToWriteAndItsAotCache() throws Exception {
        // With -XX:AOTMode=on the JVM refuses to start without the cache.
        var began = System.nanoTime();
        var ended = image.run(Container.NO_FILES, List.of(), JAVA, "-XX:AOTMode=on", ARGUMENTS, "--version");
        System.out.printf(
                "sidecar image: --version in %d ms%n",
                Duration.ofNanos(System.nanoTime() - began).toMillis());

        assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
        assertThat(ended.out()).startsWith("forebay ");
        assertThat(ended.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"48m", "96m", "700m", "4g"})
    void theHeapCanBeSetBeforeTheImagesArgumentsAndTheCacheIsStillUsed(String heap) throws Exception {
        var ended =
                image.run(Container.NO_FILES, List.of(), JAVA, "-Xmx" + heap, "-XX:AOTMode=on", ARGUMENTS, "--version");

        assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
    }

    @Test
    void theHeapIs96MiBUnlessTheEnvironmentSaysAnother() throws Exception {
        assertThat(heap(List.of())).isEqualTo(96L << 20);
        assertThat(heap(List.of("JDK_JAVA_OPTIONS=-Xmx200m"))).isEqualTo(200L << 20);
    }

    @Test
    void runsAJobWhoseStoreIsTheVolume() throws Exception {
        var tmp = Files.createDirectories(folder.resolve("volume/store")).getParent();
        Files.writeString(tmp.resolve("store/a.txt"), "one");
        Files.writeString(tmp.resolve("store/b.txt"), "two");
        // The steps' programs are not the image's; these two need the C library alone.
        for (var program : List.of("sh", "cat")) {
            Files.copy(Path.of("/bin", program), tmp.resolve(program));
        }
        Files.writeString(tmp.resolve("job.yaml"), """
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: image}
                spec:
                  inputs: [{name: files, source: file:///tmp/store/, include: ["*.txt"]}]
                  forEach: {input: files}
                  steps:
                  - {name: copy, command: [/tmp/sh, -c, '/tmp/cat "$FOREBAY_INPUT" > "$FOREBAY_OUT/$FOREBAY_STEM.out"']}
                  outputs: [{name: result, path: "*.out", to: file:///tmp/out/}]
                  buffer: {tiers: [{medium: Disk, size: 64Mi}]}
                  workers: {max: 1, slots: 1}
                """);

        var ended = image.run(
                tmp,
                List.of("TMPDIR=/tmp"),
                "/tmp/sh",
                "-c",
                "/opt/forebay/runtime/bin/java " + ARGUMENTS
                        + " run /tmp/job.yaml && /tmp/cat /tmp/out/a.out /tmp/out/b.out");

        assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
        assertThat(ended.out()).endsWith("onetwo");
    }

    private static long heap(List<String> environment) throws Exception {
        var ended = image.run(Container.NO_FILES, environment, JAVA, "-XX:+PrintFlagsFinal", ARGUMENTS, "--version");
        var line = ended.err().lines().filter(l -> l.contains(" MaxHeapSize ")).findFirst();
        return Long.parseLong(line.orElseThrow().replaceFirst(".*= *", "").replaceFirst(" .*", ""));
    }
}
