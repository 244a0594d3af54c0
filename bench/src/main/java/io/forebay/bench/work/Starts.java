package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.measure.Stopwatch;
import io.forebay.bench.peer.Contender;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** How long it takes to start: the program alone, and a run of one empty item, and a worker of its own until it serves steps. */
record Starts(String id, String title) implements Benchmark {
    @Override
    public int contests() {
        return 3;
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var programs = shop.programs();
        var result = shop.disk().resolve("result");
        var in = Files.createDirectories(shop.disk().resolve("in"));
        Files.writeString(in.resolve("empty"), "");
        var job = Items.job(shop.disk(), in, result, "true", 1);
        var serving = shop.memory().resolve("serving");
        return List.of(
                judged(
                        shop,
                        "--version",
                        "forebay --version",
                        programs.forebay("--version"),
                        Stopwatch.whole(),
                        new Goal.Seconds(0.15)),
                judged(
                        shop,
                        "run",
                        "forebay run of one empty item",
                        programs.forebay("run", "--progress", "none", job.toString()),
                        Stopwatch.whole(),
                        new Goal.Seconds(0.6)),
                judged(
                        shop,
                        "serving",
                        "forebay buffer until its step socket is there; resident memory a second later",
                        programs.serving(job, serving),
                        new UntilServing(serving),
                        new Goal.Seconds(0.5),
                        new Goal.Resident(80)));
    }

    private Outcome judged(
            Workshop shop, String variant, String what, Contender forebay, Stopwatch watch, Goal... goals)
            throws IOException, InterruptedException, CommandFailed, WrongResult {
        var subject = new Subject(id + ", " + variant, what, 0, goals);
        return shop.referee()
                .judge(new Contest(
                                subject,
                                List.of(forebay),
                                Check.none(),
                                shop.disk().resolve("result"))
                        .timedBy(watch));
    }

    /** Reads what {@code bench/programs/serving.sh} leaves. */
    private record UntilServing(Path folder) implements Stopwatch {
        @Override
        public void start() {}

        @Override
        public double stop() {
            try {
                var began = Files.getLastModifiedTime(folder.resolve("begin")).toInstant();
                var ready = Files.getLastModifiedTime(folder.resolve("ready")).toInstant();
                return Math.max(1e-9, Duration.between(began, ready).toNanos() / 1e9);
            } catch (IOException e) {
                return 1e-9; // It failed before, and its exit code says so.
            }
        }

        @Override
        public long memoryKib(long peakKib) throws IOException {
            return Long.parseLong(Files.readString(folder.resolve("idle")).strip());
        }
    }
}
