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
import java.util.List;
import java.util.Map;

/** A computation on a store as fast as memory, where a buffer cannot help: what it costs. */
record NoNeed(String id, String title, int files, long bytes, double goal) implements Benchmark {
    private static final int SLOTS = 2;

    @Override
    public int contests() {
        return 1;
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var in = Trees.random(shop.memory().resolve("in"), shop.effort().of(files), bytes);
        var result = shop.memory().resolve("result");
        var truth = Files.createDirectories(shop.memory().resolve("truth"));
        direct(in, truth).timed(shop.scratch());
        var job = Files.writeString(shop.disk().resolve("compress.yaml"), """
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: compress}
                spec:
                  inputs: [{name: in, source: "file://%s/"}]
                  forEach: {input: in}
                  workers: {slots: %d}
                  buffer: {tiers: [{medium: Memory, size: 1Gi}]}
                  steps: [{name: gzip, command: [sh, "-c", 'exec gzip -n <"$FOREBAY_INPUT" >"$FOREBAY_OUT/$FOREBAY_NAME"']}]
                  outputs: [{name: out, path: "**", to: "file://%s/"}]
                  records: "file://%s/"
                """.formatted(
                        in, SLOTS, result, shop.disk().resolve("records")));
        var contenders = List.of(
                shop.programs().forebay("run", "--fresh", "--progress", "none", job.toString()),
                Contender.peer("direct", direct(in, result)));
        var subject = new Subject(id, title, 0, new Goal.OfBestPeer(goal), new Goal.OfCpu(goal, "direct"));
        return List.of(
                shop.referee().judge(new Contest(subject, contenders, Check.equal(truth, result), result).atOnce()));
    }

    private static Command direct(Path in, Path out) {
        return new Command(
                List.of(
                        "sh",
                        "-c",
                        "ls \"$1\" | xargs -P " + SLOTS
                                + " -I{} sh -c 'exec gzip -n <\"$2/$1\" >\"$3/$1\"' sh {} \"$1\" \"$2\"",
                        "sh",
                        in.toString(),
                        out.toString()),
                Map.of());
    }
}
