package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Subject;
import io.forebay.bench.server.ObjectLister;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/** The plan of very many objects, each an item, beside peers that list them. */
record Listings(String id, String title, int objects) implements Benchmark {
    @Override
    public int contests() {
        return 1;
    }

    @Override
    public List<Outcome> run(Workshop shop) throws IOException, InterruptedException, CommandFailed, WrongResult {
        int count = shop.effort().of(objects);
        try (var server = new ObjectLister(count)) {
            var job = Files.writeString(shop.disk().resolve("job.yaml"), """
                    apiVersion: forebay.io/v1alpha1
                    kind: PipelineJob
                    metadata: {name: bench}
                    spec:
                      stores: [{uri: "%s", endpoint: "%s", region: us-east-1}]
                      inputs: [{name: in, source: "%s"}]
                      forEach: {input: in}
                      steps: [{name: nothing, command: ["true"]}]
                      records: "file://%s/"
                    """.formatted(
                            shop.programs().bucket(),
                            server.endpoint(),
                            shop.programs().bucket() + "/" + ObjectLister.PREFIX,
                            shop.disk().resolve("records")));
            var contenders = shop.programs().list(server.endpoint(), ObjectLister.PREFIX, job);
            return List.of(shop.referee()
                    .judge(new Contest(
                                    new Subject(id, title, 0, new Goal.OfBestPeer(1.0), new Goal.Resident(256)),
                                    contenders,
                                    Check.told(count),
                                    shop.disk().resolve("result"))
                            .atOnce()));
        }
    }
}
