package io.forebay.operator.reconcile;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.forebay.operator.children.CarriedJob;
import io.forebay.operator.children.JobTokens;
import io.forebay.operator.children.Labels;
import io.forebay.operator.observe.CoordinatorClient;
import io.forebay.operator.observe.Observed;
import io.forebay.operator.observe.PodTroubles;
import io.forebay.operator.observe.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Gathers what is there of a job: objects from the informers' caches, the coordinator's word by asking it. Thread-safe. */
final class ClusterView {
    /** Warnings are read only of what has not started for so long: they cost a request. */
    private static final Duration SLOW_START = Duration.ofSeconds(6);

    private static final String PORT = ":8600";

    private final KubernetesClient client;
    private final CoordinatorClient coordinators;
    private final JobTokens tokens;

    ClusterView(KubernetesClient client, CoordinatorClient coordinators, JobTokens tokens) {
        this.client = client;
        this.coordinators = coordinators;
        this.tokens = tokens;
    }

    Observed look(CarriedJob job, List<Job> jobs, List<Pod> pods) throws InterruptedException {
        var own = jobs.stream().filter(j -> isOf(j, job)).toList();
        var ownPods = pods.stream().filter(p -> isOf(p, job)).toList();
        return new Observed(own, ownPods, ask(job, ownPods), trouble(own, ownPods));
    }

    private static boolean isOf(HasMetadata object, CarriedJob job) {
        var labels = object.getMetadata().getLabels();
        return labels != null && job.uid().equals(labels.get(Labels.JOB_UID));
    }

    private Optional<CoordinatorClient.Answer> ask(CarriedJob job, List<Pod> pods) throws InterruptedException {
        var address = pods.stream()
                .filter(p -> Labels.hasRole(p, Labels.COORDINATOR))
                .filter(p -> p.getStatus() != null
                        && "Running".equals(p.getStatus().getPhase())
                        && p.getStatus().getPodIP() != null)
                .map(p -> p.getStatus().getPodIP())
                .map(ip -> ip.contains(":") ? "[" + ip + "]" : ip)
                .findFirst();
        if (address.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(coordinators.ask(address.get() + PORT, tokens.job(job.uid())));
    }

    private Optional<Trouble> trouble(List<Job> jobs, List<Pod> pods) {
        var seen = PodTroubles.of(pods);
        if (seen.isPresent()) {
            return seen;
        }
        for (var pod : pods) {
            if (isSlow(pod)
                    && pod.getStatus() != null
                    && "Pending".equals(pod.getStatus().getPhase())) {
                var found = PodTroubles.ofWarnings(warnings(pod));
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        for (var job : jobs) {
            boolean wantsPods = job.getStatus() == null
                    || (job.getStatus().getConditions().isEmpty()
                            && !Boolean.TRUE.equals(job.getSpec().getSuspend()));
            boolean hasPods = pods.stream()
                    .anyMatch(p -> p.getMetadata().getOwnerReferences().stream()
                            .anyMatch(o -> o.getUid().equals(job.getMetadata().getUid())));
            if (wantsPods && !hasPods && isSlow(job)) {
                var found = PodTroubles.ofWarnings(warnings(job));
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isSlow(HasMetadata object) {
        return Instant.parse(object.getMetadata().getCreationTimestamp())
                .plus(SLOW_START)
                .isBefore(Instant.now());
    }

    /** Oldest first. */
    private List<Event> warnings(HasMetadata object) {
        return client
                .v1()
                .events()
                .inNamespace(object.getMetadata().getNamespace())
                .withField("involvedObject.uid", object.getMetadata().getUid())
                .list()
                .getItems()
                .stream()
                .filter(e -> "Warning".equals(e.getType()))
                .sorted(Comparator.comparing(e -> e.getLastTimestamp() == null ? "" : e.getLastTimestamp()))
                .toList();
    }
}
