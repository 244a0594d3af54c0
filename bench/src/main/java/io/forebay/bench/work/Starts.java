package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

/** How long it takes to start: the program alone, and a run of one empty item. */
record Starts(String id, String title) implements Benchmark {
    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var programs = shop.programs();
        var result = shop.disk().resolve("result");
        var version = shop.referee()
                .judge(new Contest(
                        id + ", --version",
                        "forebay --version",
                        new Goal.Seconds(0.15),
                        List.of(programs.forebay("--version")),
                        Optional.empty(),
                        result,
                        0));
        var in = Files.createDirectories(shop.disk().resolve("in"));
        Files.writeString(in.resolve("empty"), "");
        var job = Items.job(shop.disk(), in, result, "true", 1);
        var run = shop.referee()
                .judge(new Contest(
                        id + ", run",
                        "forebay run of one empty item",
                        new Goal.Seconds(0.6),
                        List.of(programs.forebay("run", job.toString())),
                        Optional.empty(),
                        result,
                        0));
        return List.of(version, run);
    }
}
