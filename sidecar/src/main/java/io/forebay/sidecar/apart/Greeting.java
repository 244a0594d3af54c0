package io.forebay.sidecar.apart;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.forebay.api.job.Job;
import io.forebay.message.MessageJson;
import io.forebay.message.Messages.JobInfo;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.link.HttpCoordinatorLink;
import io.forebay.sidecar.local.RunRefused;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A worker's first words to a coordinator: is it there, does it take our token, has it our job? */
final class Greeting {
    private static final int REFUSED = 64;
    private static final int PASSING = 75;
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
    /** What may be changed while a job runs, or concerns the other side alone (DESIGN 4, Records: not part of an item's identity). */
    private static final List<String> FREE =
            List.of("buffer", "workers", "retry", "deadlines", "locality", "suspend", "run");

    private final Job job;
    private final URI at;
    private final HttpCoordinatorLink link;

    Greeting(Job job, URI at, HttpCoordinatorLink link) {
        this.job = job;
        this.at = at;
        this.link = link;
    }

    /**
     * Waits for it.
     *
     * @param patience how long
     * @param lines told once that it is waited for
     * @throws RunRefused 64: wrong token, wrong job; 75: it cannot be reached
     */
    void exchange(Duration patience, Consumer<String> lines) throws RunRefused, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        var wait = FIRST_WAIT;
        boolean told = false;
        while (true) {
            try {
                check(link.job());
                return;
            } catch (LinkException e) {
                if (e.kind() == LinkException.Kind.REFUSED) {
                    throw new RunRefused(
                            REFUSED,
                            "the coordinator at " + at
                                    + " does not take this worker's token: it belongs to another job, or user."
                                    + " Give both the same token file (--token-file), and this worker its own coordinator's address (--coordinator)");
                }
                if (System.nanoTime() - end > 0) {
                    throw new RunRefused(
                            PASSING,
                            "no coordinator answered for " + patience.toSeconds() + " s: " + e.getMessage()
                                    + ". Nothing was begun. Is it running, and its address (--coordinator) right? Start again");
                }
                if (!told) {
                    told = true;
                    lines.accept("waiting for the coordinator: " + e.getMessage());
                }
                Thread.sleep(wait);
                wait = wait.multipliedBy(2).compareTo(LONGEST_WAIT) < 0 ? wait.multipliedBy(2) : LONGEST_WAIT;
            }
        }
    }

    private void check(JobInfo theirs) throws RunRefused {
        if (!theirs.job().equals(job.name())) {
            throw new RunRefused(
                    REFUSED,
                    "the coordinator at " + at + " has another job, " + theirs.job() + "; this worker was started for "
                            + job.name()
                            + ". Give both the same manifest, or this worker its own coordinator's address (--coordinator)");
        }
        if (!identityOf(theirs.manifest()).equals(identityOf(job.manifest()))) {
            throw new RunRefused(
                    REFUSED,
                    "the coordinator at " + at + " has another manifest of the job " + job.name()
                            + ": inputs, steps or outputs differ. Start both with the same one");
        }
    }

    private static JsonNode identityOf(String manifest) throws RunRefused {
        try {
            var tree = MessageJson.MAPPER.readTree(manifest);
            if (tree.path("spec") instanceof ObjectNode spec) {
                spec.remove(FREE);
                spec.path("steps").forEach(s -> ((ObjectNode) s).remove("resources"));
            }
            return tree.path("spec");
        } catch (JsonProcessingException | ClassCastException e) {
            throw new RunRefused(REFUSED, "what answered is no coordinator of this version: " + e.getMessage());
        }
    }
}
