package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.peer.Contender;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/** How long it takes to start: the program alone, and a run of one empty item. */
record Starts(String id, String title) implements Benchmark {
    @Override
    public int contests() {
        return 2;
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var programs = shop.programs();
        var result = shop.disk().resolve("result");
        var in = Files.createDirectories(shop.disk().resolve("in"));
        Files.writeString(in.resolve("empty"), "");
        var job = Items.job(shop.disk(), in, result, "true", 1);
        return List.of(
                judged(shop, "--version", "forebay --version", 0.15, programs.forebay("--version")),
                judged(
                        shop,
                        "run",
                        "forebay run of one empty item",
                        0.6,
                        programs.forebay("run", "--progress", "none", job.toString())));
    }

    private Outcome judged(Workshop shop, String variant, String what, double most, Contender forebay)
            throws IOException, InterruptedException, CommandFailed, WrongResult {
        var subject = new Subject(id + ", " + variant, what, 0, new Goal.Seconds(most));
        return shop.referee()
                .judge(new Contest(
                        subject, List.of(forebay), Check.none(), shop.disk().resolve("result")));
    }
}
