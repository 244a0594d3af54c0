package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.os.PosixProcess;
import io.forebay.sidecar.step.StepHost.CommandId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The program, built with sanitizers, against an engine that sends random and mutated frames. It runs as a user without rights,
 * and what is mutated never names a folder that it could do harm to.
 */
class StepRunnerHostileEngineTest {
    private static final Duration FUZZ = Duration.ofSeconds(Integer.getInteger("forebay.fuzz.seconds", 5));

    @TempDir
    Path folder;

    final long seed = Long.getLong("forebay.seed", System.nanoTime());
    final Random random = new Random(seed);

    private Process start(Path program, String... arguments) throws IOException {
        var command = new ArrayList<String>();
        if (PosixProcess.euid() == 0) {
            command.addAll(List.of("setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups"));
        }
        command.add(program.toString());
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command)
                .directory(folder.resolve("work").toFile())
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("said").toFile()));
        builder.environment().put("ASAN_OPTIONS", "detect_leaks=1:exitcode=99");
        builder.environment().put("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1");
        return builder.start();
    }

    private Path prepare() throws IOException {
        System.out.println("StepRunnerHostileEngineTest seed " + seed);
        for (var open : List.of(folder, Files.createDirectory(folder.resolve("work")))) {
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        var program = Files.copy(RunnerProgram.sanitized(), folder.resolve("forebay-step"));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return program;
    }

    private void open(SocketPath socket) throws IOException {
        Files.setPosixFilePermissions(socket.path(), PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    @Test
    @DisplayName("random and mutated frames: no crash, no leak, no descriptor kept")
    void randomFrames() throws Exception {
        var program = prepare();
        var socket = new SocketPath(folder.resolve("s"));
        int connections = 0;
        int runners = 0;
        int most = 0;
        var codes = new TreeSet<Integer>();
        try (var server = socket.listen()) {
            open(socket);
            server.configureBlocking(false);
            long until = System.nanoTime() + FUZZ.toNanos();
            while (System.nanoTime() < until) {
                var runner = start(
                        program,
                        "step",
                        "s",
                        "--socket",
                        socket.path().toString(),
                        "--slots",
                        "4",
                        "--output",
                        "engine");
                runners++;
                for (int i = 0; runner.isAlive(); i++) {
                    boolean enough = System.nanoTime() > until;
                    try (var c = server.accept()) {
                        if (c == null) {
                            runner.waitFor(1, TimeUnit.MILLISECONDS);
                        } else if (enough) { // it may still be busy with the last one
                            c.write(new FrameWriter(Protocol.WELCOME)
                                    .u16(1)
                                    .list(List.of())
                                    .frame());
                            c.write(new FrameWriter(Protocol.BYE).u32(100).frame());
                            drain(c);
                        } else {
                            connections++;
                            converse(c);
                        }
                    } catch (IOException e) {
                        // It has cut us off.
                    }
                    if (i % 16 == 0) {
                        most = Math.max(most, Processes.descriptors(runner.pid()));
                    }
                }
                codes.add(runner.exitValue());
            }
        }
        var said = Files.readString(folder.resolve("said"), StandardCharsets.ISO_8859_1);
        System.out.printf(
                "hostile engine: %d runners, %d connections, at most %d descriptors%n", runners, connections, most);
        // 76, 77: a mutated frame was a refusal
        assertThat(codes)
                .as(() -> said.lines()
                        .filter(l -> !l.startsWith("forebay-step:"))
                        .limit(100)
                        .toList()
                        .toString())
                .isSubsetOf(0, 76, 77);
        assertThat(said).doesNotContain("Sanitizer").doesNotContain("runtime error");
        assertThat(most).isLessThan(40);
        assertThat(connections).isGreaterThan(3);
    }

    private static void drain(SocketChannel c) throws IOException {
        var into = ByteBuffer.allocate(65536);
        while (c.read(into.clear()) >= 0) {}
    }

    /** Until it cuts us off, or we have said enough. */
    private void converse(SocketChannel c) throws IOException {
        c.configureBlocking(false);
        var into = ByteBuffer.allocate(65536);
        var out = new ArrayList<ByteBuffer>();
        if (random.nextInt(20) != 0) {
            out.add(mutated(new FrameWriter(Protocol.WELCOME).u16(1).list(List.of("/nowhere", folder.toString()))));
        }
        for (int i = random.nextInt(60); i > 0; i--) {
            out.add(random.nextInt(40) == 0 ? garbage() : frame());
        }
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
        for (var bytes : out) {
            while (bytes.hasRemaining() && System.nanoTime() < until) {
                c.write(bytes);
                if (c.read(into.clear()) < 0) {
                    return;
                }
            }
        }
        if (random.nextBoolean()) {
            while (System.nanoTime() < until && c.read(into.clear()) >= 0) {
                Thread.onSpinWait();
            }
        }
    }

    private ByteBuffer garbage() {
        var bytes = new byte[random.nextInt(1, 200)];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private ByteBuffer frame() {
        var id = new CommandId(random.nextInt(6), random.nextInt(2), 1, random.nextBoolean() ? "s" : "");
        return switch (random.nextInt(9)) {
            case 0, 1, 2 -> mutated(work(id));
            case 3 -> mutated(new FrameWriter(Protocol.STOP).id(id).u32(random.nextInt(50)));
            case 4 -> mutated(new FrameWriter(Protocol.ACK).id(id));
            case 5 ->
                mutated(new FrameWriter(Protocol.LEASE).u64(random.nextLong()).text(folder + "/said"));
            case 6 ->
                mutated(new FrameWriter(Protocol.HANDOVER).u64(1).text("modes").list(List.of("x", "", "y")));
            case 7 -> mutated(new FrameWriter(Protocol.CLEAN).u64(2).list(List.of("x", "..", "")));
            default ->
                new FrameWriter(Protocol.CLEAN)
                        .u64(3)
                        .list(List.of(folder + "/work/none"))
                        .frame();
        };
    }

    private FrameWriter work(CommandId id) {
        var argv = switch (random.nextInt(5)) {
            case 0 -> List.of("/bin/sleep", "0.01");
            case 1 -> List.of("/bin/echo", "x".repeat(random.nextInt(10_000)));
            case 2 -> List.of("none");
            case 3 -> List.of("/bin/true", "", "y");
            default -> List.<String>of();
        };
        return new FrameWriter(Protocol.WORK)
                .id(id)
                .text("label\n")
                .list(argv)
                .list(List.of("A=b", "PATH=/bin", "", "no-equals"))
                .text(random.nextInt(4) == 0 ? "absent" : "/")
                .list(List.of("/bin"))
                .list(random.nextBoolean() ? List.of() : List.of("/dev", "absent"))
                .text(random.nextInt(4) == 0 ? "absent/log" : "log")
                .u64(random.nextLong());
    }

    private ByteBuffer mutated(FrameWriter frame) {
        var bytes = frame.frame();
        if (random.nextInt(3) != 0) {
            return bytes;
        }
        switch (random.nextInt(4)) {
            case 0 -> bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
            case 1 -> bytes.putInt(0, random.nextInt(-3, 6_000_000));
            case 2 -> bytes.limit(random.nextInt(bytes.limit() + 1));
            default -> {
                int at = random.nextInt(Math.max(1, bytes.limit() - 4));
                if (at + 4 <= bytes.limit()) {
                    bytes.putInt(at, random.nextInt(-2, 5000));
                }
            }
        }
        return bytes;
    }

    @Test
    void theSanitizersFindNothingInAnOrdinaryLife() throws Exception {
        var program = prepare();
        try (var steps = new Steps(folder, o -> o)) {
            var runner = steps.runner(program, "s", 4);
            for (int i = 0; i < 5; i++) {
                var big = steps.sh("seq 1 400000; exit 3");
                var id = steps.sh("echo out; exit 2");
                assertThat(steps.heard.end(id).exit()).isEqualTo(2);
                steps.server.isUnwritten(id, folder + "/said").get();
                steps.server
                        .clean(
                                id,
                                List.of(Files.createDirectories(folder.resolve("work/c"))
                                        .toString()))
                        .get();
                steps.server.acknowledge(id);
                assertThat(steps.heard.end(big).exit()).isEqualTo(3);
                steps.crash();
                steps.open();
            }
            steps.run("true");
            steps.server.close();
            assertThat(runner.waitFor())
                    .as(steps.said().replaceAll("(?m)^\\[item.*\\R", ""))
                    .isZero();
            assertThat(steps.said()).doesNotContain("Sanitizer").doesNotContain("runtime error");
        }
    }
}
