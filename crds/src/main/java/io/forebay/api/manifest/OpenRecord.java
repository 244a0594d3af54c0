package io.forebay.api.manifest;

import io.forebay.api.v1alpha1.Metadata;
import io.forebay.api.v1alpha1.PipelineJobStatus;
import java.util.Set;

/** Fields that a record does not have but its object may: those that the API server adds. */
final class OpenRecord {
    /** ObjectMeta of Kubernetes 1.34: {@code kubectl get -o yaml} writes them, and such a file is a manifest too. */
    private static final Set<String> OBJECT_META = Set.of(
            "creationTimestamp",
            "deletionGracePeriodSeconds",
            "deletionTimestamp",
            "finalizers",
            "generation",
            "managedFields",
            "ownerReferences",
            "resourceVersion",
            "selfLink",
            "uid");

    private OpenRecord() {}

    static Set<String> knownFields(Class<? extends Record> type) {
        return type == Metadata.class ? OBJECT_META : Set.of();
    }

    /** What the operator writes and a file may repeat. */
    static boolean isIgnored(Class<?> type) {
        return type == PipelineJobStatus.class;
    }
}
