package io.forebay.bench;

import io.forebay.bench.inner.Loops;
import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.peer.Programs;
import io.forebay.bench.report.Report;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.work.Benchmark;
import io.forebay.bench.work.Benchmarks;
import io.forebay.bench.work.Budget;
import io.forebay.bench.work.Effort;
import io.forebay.bench.work.Workshop;
import io.forebay.bench.work.WrongResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What {@code bench/run} starts; its options are described there. */
public final class Main {
    private static final String LOOPS = "inner";
    /** For each contest of benchmarks that are named, where all together would give it less. */
    private static final Duration ALONE = Duration.ofMinutes(3);

    private Path root = Path.of("");
    private Path cache = Path.of("");
    private Duration whole = Duration.ofMinutes(34);
    private int rounds = 20;
    private double scale = 1;
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
            boolean loops = names.isEmpty() || names.contains(LOOPS);
            if (list) {
                chosen.forEach(b -> System.out.println(b.id() + "  " + b.title()));
                System.out.println(LOOPS + "  inner loops of the engine, by JMH");
                return 0;
            }
            int code = measure(chosen);
            if (loops) {
                measureLoops();
            }
            return code;
        } catch (IllegalArgumentException e) {
            System.err.println("bench: " + e.getMessage());
            return 64;
        } catch (IOException e) {
            System.err.println("bench: " + e.getMessage());
            return 70;
        }
    }

    private void read(String[] args) {
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--root" -> root = Path.of(value(args, ++i));
                case "--cache" -> cache = Path.of(value(args, ++i));
                case "--minutes" -> whole = Duration.ofSeconds(Math.round(60 * Double.parseDouble(value(args, ++i))));
                case "--rounds" -> rounds = Integer.parseInt(value(args, ++i));
                case "--scale" -> {
                    scale = Double.parseDouble(value(args, ++i));
                    report = false;
                }
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
            if (!name.equals(LOOPS) && all.stream().noneMatch(b -> is(b, name))) {
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

    /** One that fails does not keep the others from being measured. @return the exit code */
    private int measure(List<Benchmark> chosen) throws IOException, InterruptedException {
        int code = 0;
        var programs = new Programs(root.toAbsolutePath(), cache);
        int all = Benchmarks.all().stream().mapToInt(Benchmark::contests).sum();
        int contests = chosen.stream().mapToInt(Benchmark::contests).sum();
        var share = whole.multipliedBy(contests).dividedBy(all);
        var alone = ALONE.multipliedBy(contests);
        var time = contests == all || share.compareTo(alone) > 0 ? share : alone;
        var effort = new Effort(new Budget(time.compareTo(whole) < 0 ? time : whole, contests), rounds, scale);
        var page = new Report(root.resolve("docs"));
        for (var benchmark : chosen) {
            System.out.println("== " + benchmark.id() + ": " + benchmark.title());
            try (var shop = Workshop.open(programs, cache.resolve("data"), effort)) {
                var outcomes = benchmark.run(shop);
                if (report) {
                    page.replace(benchmark.id(), outcomes);
                }
                outcomes.forEach(Main::tell);
            } catch (WrongResult | CommandFailed | IOException e) {
                System.err.println("bench: " + benchmark.id() + ": " + e.getMessage());
                code = e instanceof WrongResult || code == 1 ? 1 : 70;
            }
        }
        return code;
    }

    private void measureLoops() throws IOException {
        var figures = Loops.measure();
        if (report) {
            new Report(root.resolve("docs")).replaceLoops(figures);
        }
    }

    private static void tell(Outcome outcome) {
        System.out.println(outcome.subject().id()
                + (outcome.isMet() ? ": met" : ": missed")
                + outcome.bestPeer().map(p -> against(outcome, p)).orElse(""));
    }

    private static String against(Outcome outcome, String peer) {
        var r = outcome.against(peer);
        return String.format(
                Locale.ROOT, ", %.2f (%.2f to %.2f, %d pairs) of %s", r.mean(), r.low(), r.high(), r.pairs(), peer);
    }
}
