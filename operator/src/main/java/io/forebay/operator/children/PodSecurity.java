package io.forebay.operator.children;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What makes pods fit the Pod Security Standard {@code restricted}. No fsGroup: kubelet would change the users' own files on volumes. All containers
 * share one supplementary group instead, by which files pass between steps and sidecar.
 *
 * @param user that owns what is written to volumes, and runs steps that do not say otherwise
 */
record PodSecurity(long user) {
    private static final long NOBODY = 65532;
    /** Of no image's own users, by convention. */
    static final long SHARED_GROUP = 65533;

    /** @param podTemplate of the job; its pod's runAsUser is who runs */
    static PodSecurity of(@Nullable JsonNode podTemplate) {
        if (podTemplate == null) {
            return new PodSecurity(NOBODY);
        }
        return new PodSecurity(podTemplate.at("/spec/securityContext/runAsUser").asLong(NOBODY));
    }

    /** runAsUser stands at the containers, since one that is to run as its image's user could not take it back. */
    PodSecurityContext pod() {
        return new PodSecurityContextBuilder()
                .withRunAsNonRoot(true)
                .withSupplementalGroups(SHARED_GROUP)
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .build();
    }

    /** Of our own containers. */
    SecurityContext own() {
        return base().withReadOnlyRootFilesystem(true).withRunAsUser(user).build();
    }

    /** Of a step: its image's files may be writable, tools expect that. */
    SecurityContext step(boolean asImageUser) {
        return asImageUser ? base().build() : base().withRunAsUser(user).build();
    }

    private static SecurityContextBuilder base() {
        return new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities();
    }
}
