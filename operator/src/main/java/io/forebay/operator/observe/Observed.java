package io.forebay.operator.observe;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.forebay.message.JobProgress;
import io.forebay.operator.children.Labels;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What is there of one PipelineJob.
 *
 * @param jobs all that it owns
 * @param pods all of those
 * @param answer of its coordinator; absent: there is none to be asked
 * @param trouble why pods do not start
 */
public record Observed(
        List<Job> jobs, List<Pod> pods, Optional<CoordinatorClient.Answer> answer, Optional<Trouble> trouble) {
    public Observed {
        jobs = List.copyOf(jobs);
        pods = List.copyOf(pods);
    }

    /** Made for another value of spec.run. */
    public List<Job> ofOtherRuns(String run) {
        return jobs.stream().filter(j -> !isOf(j, run)).toList();
    }

    /** The newest of this run. */
    public Optional<Job> coordinator(String run) {
        return jobs.stream()
                .filter(j -> isOf(j, run) && Labels.hasRole(j, Labels.COORDINATOR))
                .max(Comparator.comparingInt(Observed::generation));
    }

    public Optional<Job> workers(String run) {
        return jobs.stream()
                .filter(j -> isOf(j, run) && Labels.hasRole(j, Labels.WORKER))
                .findFirst();
    }

    public List<Pod> podsOf(Job job) {
        return pods.stream()
                .filter(p -> p.getMetadata().getOwnerReferences().stream()
                        .anyMatch(o -> o.getUid().equals(job.getMetadata().getUid())))
                .toList();
    }

    private static boolean isOf(Job job, String run) {
        return Labels.annotation(job, Labels.RUN).orElse("").equals(run);
    }

    /** From 1. */
    public static int generation(Job coordinator) {
        return Labels.annotation(coordinator, Labels.GENERATION)
                .map(Integer::parseInt)
                .orElse(1);
    }

    /** Complete or failed for good. */
    public static boolean hasEnded(Job job) {
        return job.getStatus() != null
                && job.getStatus().getConditions().stream()
                        .anyMatch(c ->
                                (c.getType().equals("Complete") || c.getType().equals("Failed"))
                                        && "True".equals(c.getStatus()));
    }

    public Optional<JobProgress> word() {
        return answer.filter(CoordinatorClient.Answer.Word.class::isInstance)
                .map(a -> ((CoordinatorClient.Answer.Word) a).progress());
    }
}
