package io.forebay.sidecar.cli;

import io.forebay.sidecar.local.ForegroundRun;
import io.forebay.sidecar.local.RunRefused;
import io.forebay.sidecar.local.RunResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Carries a job, or one side of it, in the foreground: opened, shown, cancelled by signals, told in the end. */
final class Foreground {
    private Foreground() {}

    /** Opens what is carried. */
    @FunctionalInterface
    interface Opener {
        /** @param lines told to the user */
        ForegroundRun open(Consumer<String> lines) throws RunRefused, InterruptedException;
    }

    /** @return the exit code */
    static int carry(Opener opener, View options, PrintWriter out, PrintWriter err)
            throws CliException, InterruptedException {
        return carry(opener, options, out, err, EndListener.NOBODY);
    }

    /** As above. @param listener told how it ends, but for what is thrown */
    static int carry(Opener opener, View options, PrintWriter out, PrintWriter err, EndListener listener)
            throws CliException, InterruptedException {
        try (var view = options.open(out, err);
                var signals = Signals.catching(view::line, listener)) {
            return carry(opener, options, view, signals, out, listener);
        } catch (RunRefused e) {
            throw new CliException(e.exitCode(), e.reason(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new CliException(ForebayCommand.OWN_FAULT, String.valueOf(e.getMessage()));
        }
    }

    private static int carry(
            Opener opener, View options, ProgressView view, Signals signals, PrintWriter out, EndListener listener)
            throws RunRefused, IOException, InterruptedException {
        ForegroundRun opened;
        try {
            opened = opener.open(view::line);
        } catch (InterruptedException | RunRefused e) {
            if (signals.exitCode() != 0) {
                listener.signalled(signals.exitCode(), "ended by a signal before it began; no item was started");
                return signals.exitCode();
            }
            throw e;
        }
        try (var run = opened) {
            signals.cancels(run);
            var result = RunWatch.follow(run, view);
            view.close();
            listener.ended(result.value());
            print(options, result.value(), out);
            if (result.forced()) {
                Signals.halt(result.value().exitCode());
            }
            return result.value().exitCode();
        }
    }

    private static void print(View options, RunResult result, PrintWriter out) {
        if (options.json()) {
            out.println(result.json());
        } else {
            result.lines().forEach(out::println);
        }
        out.flush();
    }

    /** Options that say how it is shown. */
    static final class View {
        @Option(
                names = "--progress",
                paramLabel = "HOW",
                defaultValue = "auto",
                description =
                        "terminal: lines that change in place; plain: a line every 10 s; none; auto: terminal on a terminal, else plain"
                                + " (default: ${DEFAULT-VALUE})")
        String progress = "auto";

        @Option(
                names = {"-o", "--output"},
                paramLabel = "FORMAT",
                defaultValue = "text",
                description =
                        "the summary at the end as text or json; with json all else goes to standard error (default: ${DEFAULT-VALUE})")
        String output = "text";

        boolean json() {
            return output.equals("json");
        }

        private ProgressView open(PrintWriter out, PrintWriter err) throws CliException {
            if (!json() && !output.equals("text")) {
                throw new CliException(ForebayCommand.USAGE, "-o " + output + " is not known; use text or json");
            }
            // With JSON the standard output is the summary's alone.
            var lines = json() ? err : out;
            return switch (progress) {
                case "none" -> new ProgressView.Silent();
                case "plain" -> new PlainProgress(lines);
                case "terminal" -> terminal(lines);
                case "auto" ->
                    System.console() != null && System.console().isTerminal() && !json()
                            ? terminal(lines)
                            : new PlainProgress(lines);
                default ->
                    throw new CliException(
                            ForebayCommand.USAGE,
                            "--progress " + progress + " is not known; use auto, terminal, plain or none");
            };
        }

        private static ProgressView terminal(PrintWriter lines) {
            try {
                return TerminalProgress.open();
            } catch (IOException e) {
                return new PlainProgress(lines);
            }
        }
    }

    /** Built beside the engine; the launcher tells where. */
    static Optional<Path> stepRunner() {
        @Nullable String path = System.getProperty("forebay.runner");
        return path == null || path.isEmpty() ? Optional.empty() : Optional.of(Path.of(path));
    }
}
