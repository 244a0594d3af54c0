package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sidecar's image as {@code images/build} makes it, unpacked and run as a container would be: no root, nothing to write but /tmp. */
@Tag("slow")
class SidecarImageIT {
    private static final long LIMIT_BYTES = 110L << 20;
    private static final String JAVA = "/opt/forebay/runtime/bin/java";
    private static final String ARGUMENTS = "@/opt/forebay/lib/image.args";

    /** $1: the image's root; $2: a folder whose content /tmp gets, if it is there; $3: further environment, separated by spaces. */
    private static final String CONTAINER = """
            set -e
            root=$1 tmp=$2 environment=$3
            shift 3
            mount --bind "$root" "$root"
            mount -t proc proc "$root/proc"
            mount --rbind /dev "$root/dev"
            mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
            [ ! -d "$tmp" ] || cp -R "$tmp/." "$root/tmp/"
            mount -o remount,ro,bind "$root"
            exec env -i LC_ALL=C.UTF-8 MALLOC_ARENA_MAX=2 $environment "$(command -v chroot)" --userspec=65532:65532 "$root" "$@"
            """;

    private static final Path NO_FILES = Path.of("/nonexistent");

    @TempDir
    static Path folder;

    private static boolean compiler;
    private static Path archive;
    private static Path root;

    @BeforeAll
    static void makeAndUnpack() throws Exception {
        compiler = run(List.of("sh", "-c", "command -v \"${CC:-cc}\"")).exit() == 0;
        if (!compiler) {
            return;
        }
        var made = run(
                List.of(Shell.checkout().resolve("images/build").toString(), "--only", "sidecar", folder.toString()));
        assertThat(made.exit()).as(made.err()).isZero();
        archive = Path.of(made.out().lines().findFirst().orElseThrow());
        root = Files.createDirectories(folder.resolve("root"));
        var parts = Files.createDirectory(folder.resolve("parts"));
        assertThat(run(List.of("tar", "-xf", archive.toString(), "-C", parts.toString()))
                        .exit())
                .isZero();
        for (var layer : ImageArchive.read(archive).layers()) {
            var unpacked = run(List.of("tar", "-xzf", parts.resolve(layer).toString(), "-C", root.toString()));
            assertThat(unpacked.exit()).as(unpacked.err()).isZero();
        }
        for (var mounted : List.of("dev", "proc")) {
            Files.createDirectory(root.resolve(mounted));
        }
    }

    /** Before each, since what is left out before all is told by nobody. */
    @BeforeEach
    void needsACompiler() {
        assumeTrue(compiler, "the image has the step runner, which needs a C compiler");
    }

    @Test
    void isAtMost110MiBUnpacked() throws IOException {
        var image = ImageArchive.read(archive);
        System.out.printf(
                "sidecar image: %.1f MiB unpacked, %.1f MiB as an archive%n",
                image.bytes() / 1048576.0, Files.size(archive) / 1048576.0);

        assertThat(image.bytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    }

    @Test
    void hasNoShellAndNothingToWriteOutsideTmp() throws IOException {
        var image = ImageArchive.read(archive);

        assertThat(image.modes().keySet()).noneMatch(path -> path.matches("(usr/)?bin/.*|.*/(sh|bash|busybox)"));
        assertThat(image.modes().entrySet())
                .filteredOn(file -> (file.getValue() & 0022) != 0)
                .extracting(file -> file.getKey())
                .containsExactly("tmp/");
        assertThat(image.modes().keySet())
                .contains(
                        "opt/forebay/lib/forebay-step",
                        "opt/forebay/lib/forebay.aot",
                        "opt/forebay/lib/image.args",
                        "opt/forebay/LICENSE");
    }

    @Test
    void startsAsNobodyWithNothingToWriteAndItsAotCache() throws Exception {
        assumeRoot();
        // With -XX:AOTMode=on the JVM refuses to start without the cache.
        var began = System.nanoTime();
        var ended = contained(NO_FILES, List.of(), JAVA, "-XX:AOTMode=on", ARGUMENTS, "--version");
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
        assumeRoot();
        var ended = contained(NO_FILES, List.of(), JAVA, "-Xmx" + heap, "-XX:AOTMode=on", ARGUMENTS, "--version");

        assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
    }

    @Test
    void theHeapIs96MiBUnlessTheEnvironmentSaysAnother() throws Exception {
        assumeRoot();
        assertThat(heap(List.of())).isEqualTo(96L << 20);
        assertThat(heap(List.of("JDK_JAVA_OPTIONS=-Xmx200m"))).isEqualTo(200L << 20);
    }

    @Test
    void runsAJobWhoseStoreIsTheVolume() throws Exception {
        assumeRoot();
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

        var ended = contained(
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
        var ended = contained(NO_FILES, environment, JAVA, "-XX:+PrintFlagsFinal", ARGUMENTS, "--version");
        var line = ended.err().lines().filter(l -> l.contains(" MaxHeapSize ")).findFirst();
        return Long.parseLong(line.orElseThrow().replaceFirst(".*= *", "").replaceFirst(" .*", ""));
    }

    private static void assumeRoot() throws Exception {
        assumeTrue(run(List.of("unshare", "-m", "true")).exit() == 0, "mount namespaces and chroot need root");
    }

    private static Shell.Ended contained(Path tmp, List<String> environment, String... command) throws Exception {
        var words = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", CONTAINER, "sh", root.toString()));
        words.add(tmp.toString());
        words.add(String.join(" ", environment));
        words.addAll(List.of(command));
        return run(words);
    }

    private static Shell.Ended run(List<String> command) throws IOException, InterruptedException {
        return Shell.run(folder, command);
    }
}
