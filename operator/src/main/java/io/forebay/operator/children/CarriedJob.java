package io.forebay.operator.children;

import io.forebay.api.job.Job;
import io.forebay.api.v1alpha1.PipelineJob;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A valid PipelineJob of the cluster.
 *
 * @param manifest as written, for what only Kubernetes looks at
 */
public record CarriedJob(String name, String namespace, String uid, Job job, PipelineJob manifest) {
    public CarriedJob {
        if (name.isEmpty() || namespace.isEmpty() || uid.isEmpty()) {
            throw new IllegalArgumentException("a job of the cluster has a name, a namespace and a uid");
        }
    }

    /** spec.run; empty: never set. */
    public String run() {
        return Objects.requireNonNullElse(manifest.spec().run(), "");
    }

    public boolean suspended() {
        return Boolean.TRUE.equals(manifest.spec().suspend());
    }

    public ChildNames names() {
        return ChildNames.of(name, uid, manifest.spec().run());
    }

    /** @return the queue that Kueue is to admit the workers from; null: none */
    public @Nullable String queue() {
        return manifest.metadata().labels() == null
                ? null
                : manifest.metadata().labels().get(Labels.QUEUE);
    }
}
