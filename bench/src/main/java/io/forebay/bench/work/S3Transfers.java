package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.peer.Programs.Link;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Subject;
import io.forebay.bench.server.S3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Between S3 and memory; small objects on two servers, one of which keeps connections alive. */
record S3Transfers(String id, String title, boolean in, int files, long bytes, List<Goal> goals) implements Benchmark {
    private static final String PREFIX = "data";

    S3Transfers {
        goals = List.copyOf(goals);
    }

    @Override
    public int contests() {
        return files > 1 ? 2 : 1;
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var outcomes = new ArrayList<Outcome>();
        boolean many = files > 1;
        int count = many ? shop.effort().of(files) : 1;
        var truth = Trees.random(
                shop.memory().resolve("truth"),
                count,
                many ? bytes : shop.effort().of(bytes));
        // The servers' files lie in memory too: a disk would be all that is measured.
        try (var server =
                S3Server.versitygw(shop.programs().versitygw(), shop.memory().resolve("versitygw"))) {
            outcomes.add(on(server, shop, truth, many && in));
        }
        Trees.delete(shop.memory().resolve("versitygw"));
        // It reads a whole object for the MD5 of its ETag at every request: of 2 GiB in parts that is minutes, of
        // whoever asks.
        if (many && Files.isExecutable(shop.programs().rclone())) {
            try (var server =
                    S3Server.rclone(shop.programs().rclone(), shop.memory().resolve("rclone"))) {
                outcomes.add(on(server, shop, truth, false));
            }
            Trees.delete(shop.memory().resolve("rclone"));
        }
        Trees.delete(truth);
        return outcomes;
    }

    /** @param slowest whether aws takes part with small objects: a minute for each time */
    private Outcome on(S3Server server, Workshop shop, Path truth, boolean slowest)
            throws IOException, InterruptedException, CommandFailed, WrongResult {
        boolean many = files > 1;
        var subject = new Subject(
                id + ", " + server.name(),
                title,
                Trees.bytes(truth) / (double) (1 << 20),
                goals,
                Map.of(),
                Optional.empty());
        var link = new Link(server.endpoint(), many, slowest || !many);
        if (in) {
            shop.programs().upload(server.endpoint(), truth, PREFIX).timed(shop.scratch());
            var folder = shop.memory().resolve("result");
            return shop.referee()
                    .judge(new Contest(
                            subject,
                            shop.programs().stageIn(link, PREFIX, folder),
                            Check.equal(truth, folder),
                            folder));
        }
        return shop.referee()
                .judge(new Contest(
                        subject,
                        shop.programs().flush(link, truth, PREFIX),
                        Check.equal(truth, server.folder(PREFIX)),
                        server.folder(PREFIX)));
    }
}
