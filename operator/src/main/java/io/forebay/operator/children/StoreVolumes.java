package io.forebay.operator.children;

import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.forebay.api.job.Job;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What coordinator and sidecar need to reach the stores, and steps never see: each claim at the path that its URI names, each Secret in a folder of
 * its name.
 */
record StoreVolumes(List<Volume> volumes, List<VolumeMount> mounts) {
    static StoreVolumes of(Job job) {
        var claims = new TreeSet<String>();
        var secrets = new TreeSet<String>();
        for (var store : job.stores()) {
            if (store.claimName() != null) {
                claims.add(store.claimName());
            }
            if (store.secretName() != null) {
                secrets.add(store.secretName());
            }
        }
        var volumes = Stream.concat(
                        claims.stream().map(StoreVolumes::claim),
                        secrets.stream().map(StoreVolumes::secret))
                .toList();
        var mounts = Stream.concat(
                        job.stores().stream().filter(s -> s.claimName() != null).map(StoreVolumes::claimMount),
                        secrets.stream().map(StoreVolumes::secretMount))
                .toList();
        return new StoreVolumes(volumes, mounts);
    }

    private static Volume claim(String name) {
        return new VolumeBuilder()
                .withName("claim-" + name)
                .withNewPersistentVolumeClaim()
                .withClaimName(name)
                .endPersistentVolumeClaim()
                .build();
    }

    private static VolumeMount claimMount(Job.StoreAccess store) {
        var path = store.uri().path();
        return new VolumeMountBuilder()
                .withName("claim-" + Objects.requireNonNull(store.claimName()))
                .withMountPath(path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path)
                .build();
    }

    /** Not optional: a pod whose Secret is missing waits for it, and kubelet says so. */
    private static Volume secret(String name) {
        return new VolumeBuilder()
                .withName("secret-" + name)
                .withNewSecret()
                .withSecretName(name)
                .withDefaultMode(0444)
                .endSecret()
                .build();
    }

    private static VolumeMount secretMount(String name) {
        return new VolumeMountBuilder()
                .withName("secret-" + name)
                .withMountPath(PodPaths.SECRETS + "/" + name)
                .withReadOnly(true)
                .build();
    }
}
