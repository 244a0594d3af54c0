package io.forebay.operator.decide;

import io.forebay.api.job.Job;
import io.forebay.api.manifest.Problem;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.StoreUri;
import io.forebay.operator.children.CarriedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a manifest must have in a cluster, and need not elsewhere.
 *
 * @param memoryTier most that one memory tier may ask for
 * @param diskTier most that one disk tier may ask for
 */
public record ClusterRules(Optional<Bytes> memoryTier, Optional<Bytes> diskTier) {
    public List<Problem> check(CarriedJob carried) {
        var found = new ArrayList<Problem>();
        var spec = carried.manifest().spec();
        for (int i = 0; i < spec.steps().size(); i++) {
            if (spec.steps().get(i).image() == null) {
                found.add(new Problem(
                        "spec.steps[" + i + "].image",
                        "",
                        "a step needs an image on Kubernetes; name one that has its program"));
            }
        }
        var job = carried.job();
        uris(job).filter(u -> u.scheme().isPosix()).distinct().forEach(uri -> {
            boolean claimed = job.stores().stream()
                    .anyMatch(s -> s.claimName() != null
                            && s.uri().scheme() == uri.scheme()
                            && below(s.uri().path(), uri.path()));
            if (!claimed) {
                found.add(
                        new Problem(
                                "spec.stores",
                                uri.toString(),
                                "'" + uri
                                        + "' is in no store with a claimName; on Kubernetes name the PersistentVolumeClaim that holds it, in an entry of spec.stores"));
            }
        });
        for (int i = 0; i < job.buffer().tiers().size(); i++) {
            var tier = job.buffer().tiers().get(i);
            var cap = tier.medium() == Job.Medium.MEMORY ? memoryTier : diskTier;
            if (cap.isPresent() && tier.size().value() > cap.get().value()) {
                found.add(new Problem(
                        "spec.buffer.tiers[" + i + "].size",
                        tier.size().human(),
                        "more than the " + cap.get().human() + " that this cluster allows"));
            }
        }
        return found;
    }

    private static Stream<StoreUri> uris(Job job) {
        return Stream.of(
                        job.inputs().stream().map(Job.Input::source),
                        job.outputs().stream().map(Job.Output::fixedDestination),
                        Stream.of(job.records()))
                .flatMap(s -> s);
    }

    private static boolean below(String folder, String path) {
        var prefix = folder.endsWith("/") ? folder : folder + "/";
        return (path.endsWith("/") ? path : path + "/").startsWith(prefix);
    }
}
