package io.forebay.bench;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.peer.Programs;
import io.forebay.bench.report.Report;
import io.forebay.bench.work.Benchmark;
import io.forebay.bench.work.Benchmarks;
import io.forebay.bench.work.Outcome;
import io.forebay.bench.work.Workshop;
import io.forebay.bench.work.WrongResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What {@code bench/run} starts; its options are described there. */
public final class Main {
    private Path root = Path.of("");
    private Path cache = Path.of("");
    private Duration most = Duration.ofMinutes(4);
    private boolean report = true;
    private boolean list;
    private final List<String> names = new ArrayList<>();

    private Main() {}

    public static void main(String[] args) throws InterruptedException {
        System.exit(new Main().go(args));
    }

    private int go(String[] args) throws InterruptedException {
        try {
            read(args);
            var chosen = chosen();
            if (list) {
                chosen.forEach(b -> System.out.println(b.id() + "  " + b.title()));
                return 0;
            }
            measure(chosen);
            return 0;
        } catch (IllegalArgumentException e) {
            System.err.println("bench: " + e.getMessage());
            return 64;
        } catch (WrongResult e) {
            System.err.println("bench: " + e.getMessage());
            return 1;
        } catch (IOException | CommandFailed e) {
            System.err.println("bench: " + e.getMessage());
            return 70;
        }
    }

    private void read(String[] args) {
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--root" -> root = Path.of(value(args, ++i));
                case "--cache" -> cache = Path.of(value(args, ++i));
                case "--minutes" -> most = Duration.ofSeconds(Math.round(60 * Double.parseDouble(value(args, ++i))));
                case "--no-report" -> report = false;
                case "--list" -> list = true;
                default -> names.add(args[i]);
            }
        }
    }

    private static String value(String[] args, int i) {
        if (i >= args.length) {
            throw new IllegalArgumentException(args[i - 1] + " needs a value");
        }
        return args[i];
    }

    /** By their whole names or what they begin with: B4 is B4a and B4b, B1 is not B10. */
    private List<Benchmark> chosen() {
        var all = Benchmarks.all();
        for (var name : names) {
            if (all.stream().noneMatch(b -> is(b, name))) {
                throw new IllegalArgumentException("there is no benchmark '" + name + "'; bench/run --list names them");
            }
        }
        return all.stream()
                .filter(b -> names.isEmpty() || names.stream().anyMatch(n -> is(b, n)))
                .toList();
    }

    private static boolean is(Benchmark benchmark, String name) {
        return benchmark.id().replaceFirst("[a-z]$", "").equals(name)
                || benchmark.id().equals(name);
    }

    private void measure(List<Benchmark> chosen) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var outcomes = new ArrayList<Outcome>();
        var programs = new Programs(root.toAbsolutePath(), cache);
        for (var benchmark : chosen) {
            System.out.println("== " + benchmark.id() + ": " + benchmark.title());
            try (var shop = Workshop.open(programs, cache.resolve("data"), most)) {
                outcomes.addAll(benchmark.run(shop));
            }
        }
        // A part alone does not replace the whole table.
        if (report && names.isEmpty()) {
            Report.write(root.resolve("docs"), outcomes, programs.versions());
        }
        outcomes.forEach(o -> System.out.println(o.contest().id()
                + (o.isMet() ? ": met" : ": missed")
                + o.bestPeer().map(p -> ", " + o.against(p) + " of " + p).orElse("")));
    }
}
