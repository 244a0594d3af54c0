package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** One large file from disk (its pages are cached) to memory, or back, durable. */
record PosixCopy(String id, String title, boolean in, long bytes, double goal) implements Benchmark {
    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var truth = Trees.random((in ? shop.disk() : shop.memory()).resolve("truth"), 1, bytes);
        var result = (in ? shop.memory() : shop.disk()).resolve("result");
        var contenders = shop.programs().copy(truth, "f000000", result, !in);
        var outcome = shop.referee()
                .judge(new Contest(
                        id,
                        title,
                        new Goal.OfBestPeer(goal),
                        contenders,
                        Optional.of(truth),
                        result,
                        bytes / (double) (1 << 20)));
        Trees.delete(truth);
        return List.of(outcome);
    }
}
