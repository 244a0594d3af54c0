package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.peer.Programs.Link;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Subject;
import io.forebay.bench.server.S3Server;
import io.forebay.bench.server.SlowLine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** From S3 to memory over a long line: with latency, and with a bounded bandwidth of each connection. Connections are kept alive. */
record FarTransfers(String id, String title, int files, long bytes, double goal) implements Benchmark {
    private static final String PREFIX = "data";

    private record Far(String name, Duration latency, long bytesPerSecond) {}

    /** The bandwidth of one connection to S3 that the paper on rolling prefetch measured. */
    private static final List<Far> LINES =
            List.of(new Far("20 ms", Duration.ofMillis(20), 0), new Far("91 MB per s", Duration.ZERO, 91_000_000));

    @Override
    public int contests() {
        return LINES.size();
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var outcomes = new ArrayList<Outcome>();
        boolean many = files > 1;
        var truth = Trees.random(
                shop.memory().resolve("truth"),
                many ? shop.effort().of(files) : 1,
                many ? bytes : shop.effort().of(bytes));
        var folder = shop.memory().resolve("result");
        try (var server =
                S3Server.versitygw(shop.programs().versitygw(), shop.memory().resolve("versitygw"))) {
            shop.programs().upload(server.endpoint(), truth, PREFIX).timed(shop.scratch());
            for (var far : LINES) {
                try (var line = SlowLine.to(server.endpoint(), far.latency(), far.bytesPerSecond())) {
                    var subject = new Subject(
                            id + ", " + far.name(),
                            title,
                            Trees.bytes(truth) / (double) (1 << 20),
                            new Goal.OfBestPeer(goal));
                    var contenders = shop.programs().stageIn(new Link(line.endpoint(), many, !many), PREFIX, folder);
                    outcomes.add(
                            shop.referee().judge(new Contest(subject, contenders, Check.equal(truth, folder), folder)));
                }
            }
        }
        Trees.delete(shop.memory().resolve("versitygw"));
        Trees.delete(truth);
        return outcomes;
    }
}
