package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Point;
import io.forebay.bench.result.Subject;
import io.forebay.bench.server.S3Server;
import io.forebay.bench.server.SlowLine;
import io.forebay.sidecar.advisor.ParallelPrefetch;
import io.forebay.sidecar.advisor.RollingPrefetch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A computation over the objects of a prefix in order, each fetched over a long line: as s3fs reads them, one block after the other, and
 * as items of a job. Timed from the first request. Beside it what the models of rolling prefetch say.
 */
record Prefetching(String id, String title, List<Variant> variants) implements Benchmark {
    private static final long OBJECT = 32_000_000;
    private static final Duration LATENCY = Duration.ofMillis(100);
    private static final long RATE = 91_000_000;
    private static final String PREFIX = "data";
    private static final String PEER = "s3fs";

    /**
     * @param streams requests that are served at once
     * @param compute seconds for each object
     * @param least speed-up to be reached; 0: a point of the curve only, for which the goal is that prefetching hurts nothing
     */
    record Variant(int objects, int streams, double compute, double least) {}

    Prefetching {
        variants = List.copyOf(variants);
    }

    @Override
    public int contests() {
        return variants.size();
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var outcomes = new ArrayList<Outcome>();
        long bytes = shop.effort().of(OBJECT);
        int most = variants.stream().mapToInt(Variant::objects).max().orElse(1);
        var all = Trees.random(shop.memory().resolve("objects"), most, bytes);
        try (var server =
                S3Server.versitygw(shop.programs().versitygw(), shop.memory().resolve("versitygw"))) {
            for (var variant : variants) {
                var prefix = PREFIX + variant.objects();
                if (!Files.exists(server.folder(prefix))) {
                    var part = Files.createDirectories(shop.memory().resolve(prefix));
                    for (int i = 0; i < variant.objects(); i++) {
                        var name = "f%06d".formatted(i);
                        Files.createLink(part.resolve(name), all.resolve(name));
                    }
                    shop.programs().upload(server.endpoint(), part, prefix).timed(shop.scratch());
                }
                try (var line = SlowLine.to(server.endpoint(), LATENCY, RATE, variant.streams())) {
                    outcomes.add(of(variant, bytes, prefix, line, shop));
                }
            }
        }
        return outcomes;
    }

    private Outcome of(Variant variant, long bytes, String prefix, SlowLine line, Workshop shop)
            throws IOException, InterruptedException, CommandFailed, WrongResult {
        var subject = subject(variant, bytes);
        var truth = ends(shop.memory().resolve(prefix), shop.memory().resolve("truth"));
        var result = shop.memory().resolve("result");
        var seconds = String.format(Locale.ROOT, "%.3f", variant.compute());
        var job = Files.writeString(shop.disk().resolve("prefetch.yaml"), """
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: prefetch}
                spec:
                  stores: [{uri: "%s", endpoint: "%s", region: us-east-1}]
                  inputs: [{name: in, source: "%s/%s/"}]
                  forEach: {input: in}
                  workers: {slots: 1}
                  buffer: {tiers: [{medium: Memory, size: 1Gi}], item: {work: 1Mi, outputs: 1Mi}}
                  steps: [{name: compute, command: [sh, "-c", 'tail -c 4096 "$FOREBAY_INPUT" >"$FOREBAY_OUT/$FOREBAY_NAME"; sleep %s']}]
                  outputs: [{name: out, path: "**", to: "file://%s/"}]
                  records: "file://%s/"
                """.formatted(
                        shop.programs().bucket(),
                        line.endpoint(),
                        shop.programs().bucket(),
                        prefix,
                        seconds,
                        result,
                        shop.disk().resolve("records")));
        var contenders = List.of(
                shop.programs().forebay("run", "--fresh", "--progress", "none", job.toString()),
                shop.programs().sequential(PEER, line.endpoint(), prefix, result, seconds));
        var outcome = shop.referee()
                .judge(new Contest(subject, contenders, Check.equal(truth, result), result)
                        .timedBy(line.fromFirstRequest())
                        .atOnce());
        Trees.delete(truth);
        return outcome;
    }

    private Subject subject(Variant variant, long bytes) {
        double data = (double) bytes * variant.objects();
        double latency = LATENCY.toMillis() / 1e3;
        double perByte = variant.compute() / bytes;
        var rolling = new RollingPrefetch(data, latency, RATE, perByte, RollingPrefetch.Local.FREE);
        double seconds = variant.streams() == 1
                ? rolling.prefetchSeconds(variant.objects())
                : new ParallelPrefetch(data, variant.objects(), latency, RATE, 1e12, perByte)
                        .seconds(variant.streams());
        double sequential = rolling.sequentialSeconds(variant.objects());
        var predicted = new LinkedHashMap<String, Double>();
        predicted.put("model, sequential", sequential);
        boolean point = variant.least() == 0;
        var times = point ? "" : String.format(Locale.ROOT, " (%.2f times)", sequential / seconds);
        predicted.put("model, prefetch" + times, seconds);
        double ratio = variant.compute() / (latency + (double) bytes / RATE);
        var streams = variant.streams() == 1 ? "1 stream" : variant.streams() + " streams";
        return new Subject(
                id + ", " + (point ? String.format(Locale.ROOT, "ratio %.2f", ratio) : streams),
                String.format(Locale.ROOT, "%s, %d of them, compute %s s", title, variant.objects(), variant.compute()),
                0,
                List.of(new Goal.SpeedUp(point ? 1.0 : variant.least(), PEER)),
                predicted,
                point
                        ? Optional.of(new Point(id + "-ratio", "computation / transfer, of one object", ratio))
                        : Optional.empty());
    }

    /** The last 4 KiB of each file. */
    private static Path ends(Path objects, Path folder) throws IOException {
        Files.createDirectories(folder);
        try (var files = Files.newDirectoryStream(objects)) {
            for (var file : files) {
                try (var channel = Files.newByteChannel(file)) {
                    channel.position(Math.max(0, channel.size() - 4096));
                    var end = ByteBuffer.allocate((int) (channel.size() - channel.position()));
                    while (end.hasRemaining() && channel.read(end) >= 0) {}
                    Files.write(folder.resolve(file.getFileName()), end.array());
                }
            }
        }
        return folder;
    }
}
