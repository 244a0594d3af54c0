package io.forebay.operator.children;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Optional;

/** Labels and annotations by which the operator finds again what it made. */
public final class Labels {
    public static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    public static final String FOREBAY = "forebay";
    /** The owner's uid: names may be longer than a label's value. */
    public static final String JOB_UID = "forebay.io/job-uid";

    public static final String ROLE = "forebay.io/role";
    public static final String COORDINATOR = "coordinator";
    public static final String WORKER = "worker";
    /** Annotation: the owner's name. */
    public static final String JOB = "forebay.io/job";
    /** Annotation: spec.run that an object was made for. */
    public static final String RUN = "forebay.io/run";
    /** Annotation: of a coordinator, from 1. */
    public static final String GENERATION = "forebay.io/generation";
    /** Kueue's; belongs to the worker Job alone. */
    public static final String QUEUE = "kueue.x-k8s.io/queue-name";

    public static final String SELECTOR = MANAGED_BY + "=" + FOREBAY;

    private Labels() {}

    static Map<String, String> of(String uid, String role) {
        return Map.of(MANAGED_BY, FOREBAY, "app.kubernetes.io/part-of", FOREBAY, JOB_UID, uid, ROLE, role);
    }

    public static Optional<String> annotation(HasMetadata object, String name) {
        var all = object.getMetadata().getAnnotations();
        return all == null ? Optional.empty() : Optional.ofNullable(all.get(name));
    }

    public static boolean hasRole(HasMetadata object, String role) {
        var all = object.getMetadata().getLabels();
        return all != null && role.equals(all.get(ROLE));
    }
}
