package io.forebay.sidecar.cli;

import io.forebay.api.job.Job;
import io.forebay.sidecar.apart.JobToken;
import io.forebay.sidecar.local.RunRefused;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a coordinator and its workers are given alike: the job, and the token that they show one another. */
final class ApartOptions {
    @Parameters(
            index = "0",
            paramLabel = "JOB",
            description = Manifests.DESCRIPTION + ", the same for the coordinator and all workers")
    private String manifest = "";

    @Option(
            names = "--token-file",
            required = true,
            paramLabel = "FILE",
            description = "its first line is the job's token, the same for the coordinator and all workers")
    private Path tokenFile = Path.of("");

    /** @param err gets what is odd about the manifest */
    Job job(PrintWriter err) throws CliException {
        return Manifests.read(manifest, err);
    }

    JobToken token() throws RunRefused {
        return JobToken.read(tokenFile);
    }
}
