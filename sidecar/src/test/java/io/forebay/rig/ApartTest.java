package io.forebay.rig;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;

/** What tests of a coordinator and workers that are processes of their own share. */
abstract class ApartTest extends RigTest {
    /** Else one that finds nothing to do leaves, and others are no longer there to take over. */
    static final String BOTH_STAY = "  workers: {min: 2, max: 2, slots: 2}";

    ApartRig apart;

    @BeforeEach
    void apart() throws IOException {
        apart = new ApartRig(rig);
    }

    void items(int count) {
        for (int i = 0; i < count; i++) {
            rig.input("f%03d".formatted(i), "value " + i);
        }
    }

    /** Each command says first where it runs, and on what. */
    String script(String rest) {
        return "echo $WHO $FOREBAY_NAME >> \"" + rig.home().resolve("ran") + "\"\n" + rest
                + "\ncp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"";
    }

    /** Shell words: commands of that worker wait for a file of the test's. */
    String waitIf(String who, String file) {
        return "while [ $WHO = " + who + " ] && [ ! -e \"" + rig.home().resolve(file) + "\" ]; do sleep 0.05; done";
    }

    void touch(String file) throws IOException {
        Files.writeString(rig.home().resolve(file), "");
    }

    /** Its commands see its name as WHO. */
    Process worker(String name) throws IOException {
        rig.environment("WHO", name);
        return apart.worker(name);
    }

    /** Items on which commands of that worker have begun, in order. */
    List<String> ranBy(String who) {
        return lines("ran").stream()
                .filter(l -> l.startsWith(who + " "))
                .map(l -> l.substring(who.length() + 1))
                .toList();
    }

    void awaiting(String what, BooleanSupplier condition) {
        try {
            eventually(what, condition);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + apart.printed(), e);
        }
    }

    /** As a machine dies: with all that it ran. */
    static void kill(Process process) throws InterruptedException {
        var all = process.descendants().toList();
        process.destroyForcibly().waitFor();
        all.forEach(ProcessHandle::destroyForcibly);
    }

    static void signal(Process process, String name) throws Exception {
        var kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
        assertThat(kill.waitFor()).isZero();
    }

    @Override
    List<String> lines(String file) {
        try {
            return super.lines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Temporary names at the destination now. */
    int staged() {
        try {
            return rig.leftovers().size();
        } catch (IOException | UncheckedIOException e) {
            return -1; // one went while it was looked at
        }
    }

    void assertEachPublishedOnce(int count) throws IOException {
        assertThat(rig.published()).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(rig.published()).containsEntry("f%03d".formatted(i), "value " + i);
        }
        assertThat(apart.completions())
                .as("one completion record for each item")
                .hasSize(count);
    }

    /** Without what is staged: while a job runs there are temporary names beside the final ones. */
    List<String> finalNames() {
        return List.of(requireNonNull(rig.results().toFile().list((folder, name) -> !name.startsWith("."))));
    }

    String at(String name) {
        return rig.home().resolve(name).toString();
    }
}
