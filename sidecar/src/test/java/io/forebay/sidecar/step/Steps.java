package io.forebay.sidecar.step;

import io.forebay.sidecar.step.StepHost.Command;
import io.forebay.sidecar.step.StepHost.CommandId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** One engine and its runners, in a folder of the test's. Closing it leaves no process behind. */
final class Steps implements AutoCloseable {
    static final String TOKEN = "0123456789abcdef0123456789abcdef";

    final Path folder;
    final SocketPath socket;
    final List<String> notes = java.util.Collections.synchronizedList(new ArrayList<>());
    private final UnaryOperator<StepServer.Options> options;
    private final List<Process> processes = new ArrayList<>();
    private long items;
    Heard heard = new Heard();
    StepServer server;

    Steps(Path folder, UnaryOperator<StepServer.Options> options) throws IOException {
        this.folder = folder;
        this.options = options;
        this.socket = new SocketPath(folder.resolve("steps.sock"));
        open();
    }

    Steps(Path folder) throws IOException {
        this(folder, o -> o);
    }

    /** Opens the server again, as a new life of the engine. */
    void open() throws IOException {
        heard = new Heard();
        server = StepServer.open(
                options.apply(StepServer.Options.of(socket, TOKEN)
                        .withNotes(notes::add)
                        .withGrace(Duration.ofSeconds(1))),
                heard);
    }

    /** kill -9 of the engine, as its peers see it. */
    void crash() {
        server.hangUp();
    }

    Process runner(String step, int slots, String... more) throws IOException {
        return runner(RunnerProgram.program(), step, slots, more);
    }

    Process runner(Path program, String step, int slots, String... more) throws IOException {
        var command = new ArrayList<>(List.of(
                program.toString(),
                "step",
                step,
                "--socket",
                socket.path().toString(),
                "--slots",
                Integer.toString(slots),
                "--token-file",
                "-"));
        command.addAll(List.of(more));
        return start(command);
    }

    /** The token is on its standard input, its output in {@link #said}. */
    Process start(List<String> command) throws IOException {
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("said").toFile()))
                .start();
        processes.add(process);
        try (var in = process.getOutputStream()) {
            in.write((TOKEN + "\n").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // It has ended already.
        }
        return process;
    }

    String said() {
        try {
            return Files.readString(folder.resolve("said"), java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CommandId id(String step) {
        return new CommandId(items++, 1, 1, step);
    }

    Path log(CommandId id) {
        return folder.resolve("log-%d-%d-%d".formatted(id.item(), id.generation(), id.attempt()));
    }

    Command command(CommandId id, String... argv) {
        return new Command(
                id,
                "item-" + id.item(),
                List.of(argv),
                Map.of("PATH", System.getenv("PATH")),
                folder.toString(),
                List.of(),
                List.of(),
                log(id).toString(),
                Optional.empty());
    }

    CommandId submit(String step, String... argv) {
        var id = id(step);
        server.submit(command(id, argv));
        return id;
    }

    CommandId sh(String script) {
        return submit("s", "sh", "-c", script);
    }

    StepHost.End run(String script) {
        return heard.end(sh(script));
    }

    /** By SIGTERM: runners that no engine's word ends. */
    void stopProcesses() throws InterruptedException {
        processes.forEach(Process::destroy);
        for (var p : processes) {
            p.waitFor();
        }
    }

    @Override
    public void close() throws InterruptedException {
        server.close();
        for (var p : processes) {
            if (!p.waitFor(10, TimeUnit.SECONDS)) {
                p.destroyForcibly().waitFor();
            }
        }
    }
}
