package io.forebay.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The self-contained archive: made, unpacked elsewhere, run where there is no Java. */
@Tag("slow")
class ArchiveIT {
    private static final long LIMIT_BYTES = 90L << 20;

    @TempDir
    static Path folder;

    private static Path archive;
    private static Path home;
    private static boolean compiler;

    /** Before each, since what is left out before all is told by nobody. */
    @BeforeEach
    void needsACompiler() {
        assumeTrue(compiler, "the archive has the step runner, which needs a C compiler");
    }

    @BeforeAll
    static void makeAndUnpack() throws Exception {
        var environment = Map.of(
                "PATH",
                System.getenv("PATH"),
                "HOME",
                System.getProperty("user.home"),
                "FOREBAY_JAVA_HOME",
                Shell.jdk().toString());
        compiler = Shell.run(folder, environment, "sh", "-c", "command -v \"${CC:-cc}\"")
                        .exit()
                == 0;
        if (!compiler) {
            return;
        }
        var made = Shell.run(
                folder, environment, Shell.checkout().resolve("dist/build.sh").toString(), folder.toString());
        assertThat(made.exit()).as(made.err()).isZero();
        archive = Path.of(made.out().strip());
        var unpacked = Files.createDirectory(folder.resolve("un packed"));
        var ended = Shell.run(unpacked, environment, "tar", "-xzf", archive.toString());
        assertThat(ended.exit()).as(ended.err()).isZero();
        try (var names = Files.list(unpacked)) {
            home = names.findFirst().orElseThrow();
        }
    }

    @Test
    void isNamedByVersionAndMachineAndIsSmallEnough() throws IOException {
        assertThat(archive.getFileName().toString())
                .matches("forebay-\\d+\\.\\d+\\.\\d+.*-linux-(amd64|arm64|\\w+)\\.tar\\.gz");
        assertThat(Files.size(archive)).isLessThanOrEqualTo(LIMIT_BYTES);
    }

    @Test
    void leavesNothingBesideItself() throws IOException {
        try (var names = Files.list(folder)) {
            assertThat(names).containsExactlyInAnyOrder(archive, home.getParent());
        }
    }

    @Test
    void runsInAnEmptyEnvironmentFromAnotherFolder() throws Exception {
        var ended =
                Shell.run(Path.of("/"), Map.of(), home.resolve("bin/forebay").toString(), "--version");

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(ended.out()).startsWith("forebay ");
        assertThat(ended.err()).isEmpty();
    }

    @Test
    void itsAotCacheIsUsedWhereverItWasUnpacked() throws Exception {
        // With -XX:AOTMode=on the JVM refuses to start without the cache.
        var ended = Shell.run(
                Path.of("/"),
                Map.of("FOREBAY_JAVA_OPTS", "-XX:AOTMode=on"),
                home.resolve("bin/forebay").toString(),
                "--version");

        assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
    }

    @Test
    void runsTheExampleWhereThereIsASystemLibraryOrTwoAndNothingElse() throws Exception {
        var root = Files.createDirectory(folder.resolve("root"));
        var environment = Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        assumeTrue(Shell.run(folder, environment, "chroot", "/", "true").exit() == 0, "chroot needs root");
        // A shell, five tools, and the libraries that they and the runtime name; no Java, no compiler, no /usr/share.
        var script = """
                set -e
                cd "$1"
                mkdir -p bin tmp var/tmp dev proc opt dev/shm
                programs="$(command -v sh) $(command -v cp) $(command -v readlink) $(command -v mkdir) $(command -v ls)"
                for program in $programs; do cp -L "$program" bin/; done
                for file in $programs "$2"/runtime/bin/java "$2"/runtime/lib/*.so "$2"/runtime/lib/server/libjvm.so; do
                  ldd "$file" | sed -n 's#.*[ \t]\\(/[^ ]*\\) (0x.*#\\1#p'
                done | sort -u | while read -r library; do
                  case $library in "$2"/*) continue ;; esac
                  mkdir -p ".${library%/*}"; cp -L "$library" ".$library"
                done
                cp -R "$2" opt/forebay
                mknod -m 666 dev/null c 1 3; mknod -m 666 dev/urandom c 1 9; mknod -m 666 dev/random c 1 8
                """;
        var made = Shell.run(folder, environment, "sh", "-c", script, "sh", root.toString(), home.toString());
        assertThat(made.exit()).as(made.err()).isZero();

        var ended = Shell.run(
                folder,
                environment,
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t proc proc \"$1/proc\" && exec env -i \"$(command -v chroot)\" \"$1\" /opt/forebay/bin/forebay run /opt/forebay/examples/increment/job.yaml",
                "sh",
                root.toString());

        assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
        try (var results = Files.list(root.resolve("opt/forebay/examples/increment/results"))) {
            assertThat(results.filter(r -> r.toString().endsWith(".nii"))).hasSize(8);
        }
    }
}
