package io.forebay.bench.work;

import io.forebay.bench.measure.Command;
import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.peer.Contender;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Point;
import io.forebay.bench.result.Subject;
import io.forebay.bench.server.SlowShare;
import io.forebay.sidecar.advisor.TieredMakespan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The incrementation experiment on a slow shared file system: blocks in files, each incremented n times with every intermediate in a file.
 * Directly on the file system; copied in and out of memory by a script; through Forebay. Beside it what the tiered model says of this file
 * system; since Forebay succeeds only when the results are back on it, their writing is added to the model's makespan.
 */
record Incrementation(String id, String title, int blocks, long blockBytes, double delaySeconds, List<Integer> times)
        implements Benchmark {
    private static final double READ = 64e6;
    private static final double WRITE = 32e6;
    private static final int LATENCY_MICROS = 500;
    private static final int SLOTS = 2;
    /** Of tmpfs, in the paper (MiB/s); it hardly counts. */
    private static final TieredMakespan.Memory MEMORY =
            new TieredMakespan.Memory(512 << 20, 6676.48 * (1 << 20), 2560.0 * (1 << 20));

    Incrementation {
        times = List.copyOf(times);
    }

    @Override
    public int contests() {
        return times.size();
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var outcomes = new ArrayList<Outcome>();
        var backing = shop.memory().resolve("share");
        Trees.random(backing.resolve("in"), blocks, shop.effort().of(blockBytes));
        try (var share = SlowShare.mount(
                shop.programs().built("slowfs"), backing, shop.disk().resolve("mnt"), READ, WRITE, LATENCY_MICROS)) {
            for (int n : times) {
                outcomes.add(of(n, share, backing, shop));
            }
        }
        Trees.delete(backing);
        return outcomes;
    }

    private Outcome of(int n, SlowShare share, Path backing, Workshop shop)
            throws IOException, InterruptedException, CommandFailed, WrongResult {
        var truth = incremented(backing.resolve("in"), shop.memory().resolve("truth"), n);
        var model = model(n, Trees.bytes(truth));
        double bound = model.withTiers() + model.data().output() / model.sharedWrite() + computing(n);
        double direct = model.withoutTiers() + computing(n);
        var predicted = new LinkedHashMap<String, Double>();
        predicted.put("model, direct", direct);
        predicted.put("model, tiers and write-back", bound);
        var subject = new Subject(
                id + ", n " + n,
                title,
                0,
                List.of(new Goal.Seconds(1.05 * bound), new Goal.AsPredicted(direct / bound, 0.1, "direct")),
                predicted,
                Optional.of(new Point(id + "-n", "increments of each block (n)", n)));
        // On the backing folder, so that emptying and comparing cost nothing.
        var outcome = shop.referee()
                .judge(new Contest(
                                subject,
                                contenders(n, share.folder(), shop),
                                Check.equal(truth, backing.resolve("out")),
                                backing.resolve("out"))
                        .after(fresh(backing))
                        .atOnce());
        Trees.delete(truth);
        return outcome;
    }

    /** Room for the direct way's intermediates; then the kernel forgets, within a second, the names that were there before. */
    private static Command fresh(Path backing) {
        var work = backing.resolve("work").toString();
        return new Command(List.of("sh", "-c", "rm -rf \"$1\" && mkdir \"$1\" && sleep 1.2", "sh", work), Map.of());
    }

    private List<Contender> contenders(int n, Path mount, Workshop shop) throws IOException {
        var program = shop.programs().built("increment");
        var delay = String.format(Locale.ROOT, "%.3f", delaySeconds);
        var job = Files.writeString(shop.disk().resolve("increment.yaml"), """
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: increment}
                spec:
                  inputs: [{name: in, source: "file://%1$s/in/"}]
                  forEach: {input: in}
                  workers: {slots: %2$d}
                  buffer: {tiers: [{medium: Memory, size: 512Mi}], item: {work: %7$d, outputs: %8$d}}
                  steps: [{name: increment, command: ["%3$s", $(INPUT), $(OUT)/$(NAME), $(WORK), "%4$d", "%5$s"]}]
                  outputs: [{name: out, path: "**", to: "file://%1$s/out/"}]
                  records: "file://%6$s/"
                """.formatted(
                        mount,
                        SLOTS,
                        program,
                        n,
                        delay,
                        shop.disk().resolve("records"),
                        n * shop.effort().of(blockBytes),
                        shop.effort().of(blockBytes)));
        // Blocks of a block's own folder for intermediates, as tools keep them.
        var each = "ls \"$1/in\" | xargs -P " + SLOTS + " -I{} sh -c '%s' sh {} \"$1\" \"$2\" " + program + " " + n
                + " " + delay;
        var direct = each.formatted("mkdir \"$2/work/$1\" && \"$4\" \"$2/in/$1\" \"$2/out/$1\" \"$2/work/$1\" $5 $6");
        var copied = each.formatted(
                "mkdir -p \"$3/$1\" && cp \"$2/in/$1\" \"$3/$1/in\" && \"$4\" \"$3/$1/in\" \"$3/$1/out\" \"$3/$1\" $5 $6"
                        + " && cp \"$3/$1/out\" \"$2/out/$1\" && rm -r \"$3/$1\"");
        var memory = shop.memory().resolve("copied").toString();
        return List.of(
                shop.programs().forebay("run", "--fresh", "--progress", "none", job.toString()),
                Contender.peer(
                        "direct", new Command(List.of("sh", "-c", direct, "sh", mount.toString(), memory), Map.of())),
                Contender.peer(
                        "cp in and out",
                        new Command(List.of("sh", "-c", copied, "sh", mount.toString(), memory), Map.of())));
    }

    private double computing(int n) {
        return Math.ceil(blocks / (double) SLOTS) * n * delaySeconds;
    }

    private TieredMakespan model(int n, double bytes) {
        double file = bytes / blocks;
        return new TieredMakespan(
                new TieredMakespan.Cluster(1, SLOTS, 1e12),
                new TieredMakespan.Data(bytes, bytes * (n - 1), bytes, file),
                MEMORY.size() > bytes * n * 2
                        ? MEMORY
                        : new TieredMakespan.Memory(bytes * n * 2 + SLOTS * file, MEMORY.read(), MEMORY.write()),
                new TieredMakespan.Disks(0, 0, 1, 1),
                new TieredMakespan.Shared(1, 1, READ, WRITE));
    }

    private static Path incremented(Path in, Path folder, int n) throws IOException {
        Files.createDirectories(folder);
        try (var files = Files.newDirectoryStream(in)) {
            for (var file : files) {
                var bytes = Files.readAllBytes(file);
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] += (byte) n;
                }
                Files.write(folder.resolve(file.getFileName()), bytes);
            }
        }
        return folder;
    }
}
