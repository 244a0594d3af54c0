package io.forebay.operator.children;

import io.fabric8.kubernetes.api.model.KeyToPathBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.forebay.api.job.Job;
import java.util.ArrayList;
import java.util.List;

/** Volumes that every worker or coordinator has, whatever its stores. */
final class PodVolumes {
    private PodVolumes() {}

    static VolumeMount mount(String volume, String path, boolean readOnly) {
        return new VolumeMountBuilder()
                .withName(volume)
                .withMountPath(path)
                .withReadOnly(readOnly ? true : null)
                .build();
    }

    static Volume emptyDir(String name, String limit) {
        return new VolumeBuilder()
                .withName(name)
                .withNewEmptyDir()
                .withSizeLimit(new Quantity(limit))
                .endEmptyDir()
                .build();
    }

    private static Volume memory(String name, Quantity limit) {
        return new VolumeBuilder()
                .withName(name)
                .withNewEmptyDir()
                .withMedium("Memory")
                .withSizeLimit(limit)
                .endEmptyDir()
                .build();
    }

    static Volume run() {
        return memory("run", new Quantity("1Mi"));
    }

    static Volume job(String secret) {
        return new VolumeBuilder()
                .withName("job")
                .withNewSecret()
                .withSecretName(secret)
                .withDefaultMode(0444)
                .endSecret()
                .build();
    }

    /** What step runners show: they do not see the job's token. */
    static Volume stepToken(String secret) {
        return new VolumeBuilder()
                .withName("step-token")
                .withNewSecret()
                .withSecretName(secret)
                .withDefaultMode(0444)
                .withItems(new KeyToPathBuilder()
                        .withKey("step-token")
                        .withPath("step-token")
                        .build())
                .endSecret()
                .build();
    }

    /** In the order of the job's tiers. kubelet evicts a pod above the limit of a disk tier: it has room for what the sidecar notices late. */
    static List<Volume> tiers(Job job) {
        var all = new ArrayList<Volume>();
        for (int i = 0; i < job.buffer().tiers().size(); i++) {
            var tier = job.buffer().tiers().get(i);
            long size = tier.size().value();
            all.add(
                    switch (tier.medium()) {
                        case MEMORY -> memory(tierName(i), new Quantity(Long.toString(size)));
                        case DISK -> emptyDir(tierName(i), Long.toString(size + size / 10));
                        case EPHEMERAL -> ephemeral(tierName(i), tier);
                    });
        }
        return all;
    }

    private static Volume ephemeral(String name, Job.Tier tier) {
        return new VolumeBuilder()
                .withName(name)
                .withNewEphemeral()
                .withNewVolumeClaimTemplate()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withStorageClassName(tier.storageClassName())
                .withNewResources()
                .addToRequests("storage", new Quantity(Long.toString(tier.size().value())))
                .endResources()
                .endSpec()
                .endVolumeClaimTemplate()
                .endEphemeral()
                .build();
    }

    static List<VolumeMount> tierMounts(Job job) {
        var all = new ArrayList<VolumeMount>();
        for (int i = 0; i < job.buffer().tiers().size(); i++) {
            all.add(mount(tierName(i), tierPath(i), false));
        }
        return all;
    }

    static String tierPath(int index) {
        return PodPaths.TIERS + "/" + index;
    }

    private static String tierName(int index) {
        return "tier-" + index;
    }
}
