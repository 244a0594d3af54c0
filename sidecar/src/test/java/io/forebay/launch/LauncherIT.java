package io.forebay.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.testing.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./forebay} in a fresh copy of this checkout, in a folder with a space in its name. The tests follow one copy through
 * its life, since each build takes a while: they build on each other in the order given.
 */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("alone")
class LauncherIT {
    private static final Path SOURCE = Path.of("sidecar/src/main/java/io/forebay/sidecar/Main.java");

    @TempDir
    static Path folder;

    private static Path copy;

    @BeforeAll
    static void copyTheCheckout() throws Exception {
        copy = Files.createDirectory(folder.resolve("a copy"));
        var ended = Shell.run(
                Shell.checkout(),
                Map.of("PATH", System.getenv("PATH")),
                "sh",
                "-c",
                "tar -cf - --exclude=target forebay tools pom.xml .mvn */pom.xml */src/main $(ls -d sidecar/src/runner) | tar -xf - -C \"$1\"",
                "sh",
                copy.toString());
        assertThat(ended.exit()).as(ended.err()).isZero();
    }

    @Test
    @Order(1)
    void theFirstStartBuildsAndSaysSo() throws Exception {
        var ended = forebay("--version");

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(ended.out()).startsWith("forebay 0.").hasLineCount(1);
        assertThat(ended.err()).contains("first start: building, once").contains("built in ");
        assertThat(build().resolve("lib/forebay.aot")).isNotEmptyFile();
    }

    @Test
    @Order(2)
    void theSecondStartBuildsNothingAndIsSilent() throws Exception {
        var before = build();

        var ended = forebay("--offline", "--version");

        assertThat(ended.exit()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(build()).isEqualTo(before);
    }

    @Test
    @Order(3)
    void runsThroughLinksAndFromAnyFolder() throws Exception {
        var elsewhere = Files.createDirectory(folder.resolve("else where"));
        Files.createSymbolicLink(elsewhere.resolve("first"), Path.of("second"));
        Files.createSymbolicLink(elsewhere.resolve("second"), Path.of("../a copy/forebay"));
        var environment = environment();
        environment.put("PATH", elsewhere + ":" + environment.get("PATH"));

        var relative = Shell.run(elsewhere, environment, "sh", "-c", "./first --version");
        var onPath = Shell.run(folder, environment, "sh", "-c", "first --version");
        var absolute =
                Shell.run(Path.of("/"), environment, elsewhere.resolve("second").toString(), "--version");

        assertThat(List.of(relative, onPath, absolute)).allSatisfy(ended -> {
            assertThat(ended.exit()).as(ended.err()).isZero();
            assertThat(ended.out()).startsWith("forebay ");
        });
    }

    @Test
    @Order(4)
    void twoStartsAfterAChangeBuildOnce() throws Exception {
        var before = build();
        Files.writeString(copy.resolve(SOURCE), "// changed\n", StandardOpenOption.APPEND);
        var processes = new ArrayList<Process>();
        for (int i = 0; i < 2; i++) {
            processes.add(Shell.start(
                    copy,
                    environment(),
                    List.of("./forebay", "--version"),
                    folder.resolve(i + ".out"),
                    folder.resolve(i + ".err")));
        }
        for (var process : processes) {
            assertThat(process.waitFor()).isZero();
        }

        var said = Files.readString(folder.resolve("0.err")) + Files.readString(folder.resolve("1.err"));
        assertThat(said).containsOnlyOnce("the sources changed: building").containsOnlyOnce("waiting for it");
        assertThat(build()).isNotEqualTo(before);
        assertThat(before)
                .as("a start may still be about to use the build before")
                .isDirectory();
    }

    @Test
    @Order(5)
    void aSourceThatDoesNotCompileIsSaidWithTheEndOfTheLog() throws Exception {
        var extra = copy.resolve(SOURCE).resolveSibling("Extra.java");
        Files.writeString(extra, "package io.forebay.sidecar;\nfinal class Extra { int x = ; }\n");

        var broken = forebay("--version");

        Files.delete(extra);
        assertThat(broken.exit()).isEqualTo(70);
        assertThat(broken.out()).isEmpty();
        assertThat(broken.err()).contains("compiling failed", "Extra.java", "build.log");
    }

    /** That a file is gone is a change too: nothing else differs from the build before. */
    @Test
    @Order(6)
    void aKilledBuildLeavesNothingBehindThatTheNextOneTripsOver() throws Exception {
        var before = build();
        var state = before.getParent();
        var process = Shell.start(
                copy,
                environment(),
                List.of("./forebay", "--version"),
                folder.resolve("k.out"),
                folder.resolve("k.err"));
        Wait.until("the build has begun", Duration.ofMinutes(2), () -> has(state, ".tmp"));
        var all = new ArrayList<>(process.descendants().toList());
        process.destroyForcibly().waitFor();
        all.forEach(ProcessHandle::destroyForcibly);
        for (var child : all) {
            // It has ended when its end is due: where the first process buries nobody, the dead stay listed.
            child.onExit().completeOnTimeout(child, 10, TimeUnit.SECONDS).join();
        }
        assertThat(has(state, ".tmp")).isTrue();

        var ended = forebay("--version");

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(has(state, ".tmp")).isFalse();
        assertThat(build()).isNotEqualTo(before);
    }

    @Test
    @Order(7)
    void aReadOnlyCheckoutIsBuiltInTheCache() throws Exception {
        var environment = environment();
        environment.put("FOREBAY_CACHE", folder.resolve("cache").toString());
        var script =
                "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\" && cd / && \"$1/forebay\" --version && \"$1/forebay\" --version";
        assumeTrue(
                Shell.run(copy, environment, "unshare", "-m", "true").exit() == 0,
                "mounting needs a mount namespace (unshare -m)");
        Files.writeString(copy.resolve(SOURCE), "// once more\n", StandardOpenOption.APPEND);

        var ended = Shell.run(copy, environment, "unshare", "-m", "sh", "-c", script, "sh", copy.toString());

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(ended.out().lines()).hasSize(2).allMatch(line -> line.startsWith("forebay "));
        assertThat(ended.err()).containsOnlyOnce("built in ");
        assertThat(folder.resolve("cache/build")).isNotEmptyDirectory();
    }

    private static boolean has(Path state, String suffix) {
        return Stream.of(state.toFile().list()).anyMatch(name -> name.endsWith(suffix));
    }

    private static Path build() throws IOException {
        var state = copy.resolve("target/launch");
        return state.resolve(Files.readString(state.resolve("current")).strip());
    }

    private static Shell.Ended forebay(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("./forebay"));
        command.addAll(List.of(arguments));
        return Shell.run(copy, environment(), command);
    }

    /** HOME is the user's, since Maven's libraries lie there. */
    private static Map<String, String> environment() {
        var environment = new HashMap<String, String>();
        environment.put("PATH", System.getenv("PATH"));
        environment.put("HOME", System.getProperty("user.home"));
        environment.put("FOREBAY_JAVA_HOME", Shell.jdk().toString());
        return environment;
    }
}
