package io.forebay.operator.children;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.forebay.api.job.Job;
import io.forebay.api.v1alpha1.ResourcesSpec;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What containers ask for. tmpfs is charged to whoever writes it, so each container that writes to the memory tiers may hold all of them.
 *
 * @param slots items at once; resources of a step are those of one item
 * @param memoryTiers their bytes
 */
record Footprint(int slots, long memoryTiers) {
    private static final long MI = 1L << 20;
    /** Heap 96 MiB; measured 110 to 160 MiB resident under load. */
    private static final long SIDECAR_REQUEST = 160 * MI;

    private static final long SIDECAR_LIMIT = 320 * MI;
    private static final long COORDINATOR_REQUEST = 160 * MI;
    private static final long COORDINATOR_LIMIT = 384 * MI;

    static Footprint of(Job job) {
        long tiers = job.buffer().tiers().stream()
                .filter(t -> t.medium() == Job.Medium.MEMORY)
                .mapToLong(t -> t.size().value())
                .sum();
        return new Footprint(job.workers().slots(), tiers);
    }

    ResourceRequirements sidecar() {
        return new ResourceRequirementsBuilder()
                .addToRequests("cpu", new Quantity("100m"))
                .addToRequests("memory", bytes(SIDECAR_REQUEST + memoryTiers))
                .addToLimits("memory", bytes(SIDECAR_LIMIT + memoryTiers))
                .build();
    }

    ResourceRequirements coordinator() {
        return new ResourceRequirementsBuilder()
                .addToRequests("cpu", new Quantity("100m"))
                .addToRequests("memory", bytes(COORDINATOR_REQUEST))
                .addToLimits("memory", bytes(COORDINATOR_LIMIT))
                .build();
    }

    /** The one that waits for durability; a static program. */
    ResourceRequirements commit() {
        return new ResourceRequirementsBuilder()
                .addToRequests("cpu", new Quantity("1m"))
                .addToRequests("memory", bytes(4 * MI))
                .addToLimits("memory", bytes(32 * MI))
                .build();
    }

    ResourceRequirements step(@Nullable ResourcesSpec spec) {
        if (spec == null) {
            return new ResourceRequirements();
        }
        var limits = times(spec.limits());
        limits.computeIfPresent("memory", (name, limit) -> plus(limit, memoryTiers));
        return new ResourceRequirementsBuilder()
                .withRequests(times(spec.requests()))
                .withLimits(limits)
                .build();
    }

    private Map<String, Quantity> times(Map<String, String> perItem) {
        var all = new HashMap<String, Quantity>();
        perItem.forEach((name, text) -> all.put(name, times(new Quantity(text))));
        return all;
    }

    private Quantity times(Quantity one) {
        return Quantity.fromNumericalAmount(one.getNumericalAmount().multiply(BigDecimal.valueOf(slots)), null);
    }

    private static Quantity plus(Quantity one, long bytes) {
        return Quantity.fromNumericalAmount(one.getNumericalAmount().add(BigDecimal.valueOf(bytes)), null);
    }

    private static Quantity bytes(long n) {
        return n % MI == 0 ? new Quantity(n / MI + "Mi") : new Quantity(Long.toString(n));
    }
}
