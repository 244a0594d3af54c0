package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Subject;
import java.io.IOException;
import java.util.List;

/** Tiny files from memory to disk, each durable. The flusher of Sea takes 65 s for 2,000 of them (its paper's own figure for a slow flush). */
record TinyFiles(String id, String title, int files, double mostSeconds) implements Benchmark {
    @Override
    public int contests() {
        return 1;
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var truth = Trees.random(shop.memory().resolve("truth"), shop.effort().of(files), 10);
        var result = shop.disk().resolve("result");
        var outcome = shop.referee()
                .judge(new Contest(
                        new Subject(id, title, 0, new Goal.Seconds(mostSeconds)),
                        shop.programs().flushFiles(truth, result),
                        Check.equal(truth, result),
                        result));
        Trees.delete(truth);
        return List.of(outcome);
    }
}
