package io.forebay.bench.work;

import io.forebay.bench.measure.Command;
import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.peer.Contender;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Many items whose command does nothing: what is left is ours. */
record Items(String id, String title, int items, int slots, double mostMilliseconds) implements Benchmark {
    @Override
    public int contests() {
        return 1;
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        int count = shop.effort().of(items);
        var in = Trees.random(shop.memory().resolve("in"), count, 10);
        var result = shop.disk().resolve("result");
        var job = job(shop.disk(), in, result, "true", slots);
        var contenders = new ArrayList<Contender>();
        contenders.add(shop.programs().forebay("run", "--progress", "none", job.toString()));
        contenders.add(Contender.peer(
                "xargs -P",
                new Command(List.of("sh", "-c", "ls '" + in + "' | xargs -n 1 -P " + slots + " true"), Map.of())));
        if (Files.isExecutable(Path.of("/usr/bin/parallel"))) {
            contenders.add(Contender.slow(
                    "parallel",
                    new Command(List.of("sh", "-c", "ls '" + in + "' | parallel -j " + slots + " true"), Map.of())));
        }
        var outcome = shop.referee()
                .judge(new Contest(
                                new Subject(id, title, 0, new Goal.MillisecondsAnItem(mostMilliseconds, count)),
                                contenders,
                                Check.none(),
                                result)
                        .atOnce());
        Trees.delete(in);
        return List.of(outcome);
    }

    /** A manifest with one item for each file of {@code in}. */
    static Path job(Path folder, Path in, Path result, String program, int slots) throws IOException {
        return Files.writeString(folder.resolve("job.yaml"), """
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: bench}
                spec:
                  inputs: [{name: in, source: "file://%s/"}]
                  forEach: {input: in}
                  workers: {slots: %d}
                  buffer: {tiers: [{medium: Memory, size: 512Mi}]}
                  steps: [{name: nothing, command: ["%s"]}]
                  outputs: [{name: out, path: "**", to: "file://%s/", required: false}]
                """.formatted(in, slots, program, result));
    }
}
