package io.forebay.bench.work;

import io.forebay.bench.measure.Command;
import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.measure.Stopwatch;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Subject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One large file from disk to memory, its pages cached or not; or back, durable. */
record PosixCopy(String id, String title, boolean in, long bytes, double goal) implements Benchmark {
    @Override
    public int contests() {
        return in ? 2 : 1;
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        long size = shop.effort().of(bytes);
        var truth = Trees.random((in ? shop.disk() : shop.memory()).resolve("truth"), 1, size);
        var result = (in ? shop.memory() : shop.disk()).resolve("result");
        var contenders = shop.programs().copy(truth, "f000000", result, !in);
        var outcomes = new ArrayList<Outcome>();
        for (var cold : in ? List.of(false, true) : List.of(false)) {
            var subject = new Subject(
                    in ? id + (cold ? ", cold" : ", cached") : id,
                    title,
                    size / (double) (1 << 20),
                    new Goal.OfBestPeer(goal, in ? "cp" : "cp and sync"));
            var contest = new Contest(subject, contenders, Check.equal(truth, result), result)
                    .timedBy(Stopwatch.sinceBirthOf(result.resolve("f000000")));
            outcomes.add(shop.referee().judge(cold ? contest.after(forget(truth.resolve("f000000"))) : contest));
        }
        Trees.delete(truth);
        return outcomes;
    }

    /** dd with nocache and nothing to copy asks the kernel to drop the file's pages; no privilege is needed. */
    private static Command forget(Path file) {
        return new Command(
                List.of(
                        "sh",
                        "-c",
                        "sync \"$1\" && dd if=\"$1\" iflag=nocache count=0 status=none",
                        "sh",
                        file.toString()),
                Map.of());
    }
}
