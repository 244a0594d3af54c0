package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.server.S3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Between S3 and memory; small objects on two servers, one of which keeps connections alive.
 *
 * @param goal of the ratio to the best peer
 */
record S3Transfers(String id, String title, boolean in, int files, long bytes, double goal) implements Benchmark {
    private static final String PREFIX = "data";

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var outcomes = new ArrayList<Outcome>();
        var truth = Trees.random(shop.memory().resolve("truth"), files, bytes);
        // The servers' files lie in memory too: a disk would be all that is measured.
        try (var server =
                S3Server.versitygw(shop.programs().versitygw(), shop.memory().resolve("versitygw"))) {
            outcomes.add(on(server, shop, truth));
        }
        Trees.delete(shop.memory().resolve("versitygw"));
        // It reads a whole object for the MD5 of its ETag at every request: of 2 GiB in parts that is minutes, of
        // whoever asks.
        if (files > 1 && Files.isExecutable(shop.programs().rclone())) {
            try (var server =
                    S3Server.rclone(shop.programs().rclone(), shop.memory().resolve("rclone"))) {
                outcomes.add(on(server, shop, truth));
            }
            Trees.delete(shop.memory().resolve("rclone"));
        }
        Trees.delete(truth);
        return outcomes;
    }

    private Outcome on(S3Server server, Workshop shop, Path truth)
            throws IOException, InterruptedException, CommandFailed, WrongResult {
        var many = files > 100;
        var name = id + ", " + server.name();
        var mebibytes = files * (double) bytes / (1 << 20);
        if (in) {
            shop.programs()
                    .upload(server, truth, PREFIX)
                    .timed(Files.createDirectories(shop.disk().resolve("scratch")));
            var folder = shop.memory().resolve("result");
            var contenders = shop.programs().stageIn(server, PREFIX, folder, many);
            return shop.referee()
                    .judge(new Contest(
                            name, title, new Goal.OfBestPeer(goal), contenders, Optional.of(truth), folder, mebibytes));
        }
        var contenders = shop.programs().flush(server, truth, PREFIX, many);
        return shop.referee()
                .judge(new Contest(
                        name,
                        title,
                        new Goal.OfBestPeer(goal),
                        contenders,
                        Optional.of(truth),
                        server.folder(PREFIX),
                        mebibytes));
    }
}
