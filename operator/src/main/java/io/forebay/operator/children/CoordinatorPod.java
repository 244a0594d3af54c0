package io.forebay.operator.children;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.ArrayList;
import java.util.List;

/** The pod that plans and leads; its exit code and termination message are how the job ended. */
final class CoordinatorPod {
    /** It outlives every worker that is told to stop. */
    private static final long BEYOND_WORKERS_SECONDS = 30;

    private final CarriedJob carried;
    private final SidecarImage image;
    private final PodSecurity security;
    private final StoreVolumes stores;

    CoordinatorPod(CarriedJob carried, SidecarImage image) {
        this.carried = carried;
        this.image = image;
        this.security = PodSecurity.of(carried.manifest().spec().podTemplate());
        this.stores = StoreVolumes.of(carried.job());
    }

    PodTemplateSpec template(long workersGrace) {
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(Labels.of(carried.uid(), Labels.COORDINATOR))
                .addToAnnotations(Labels.JOB, carried.name())
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withEnableServiceLinks(false)
                .withAutomountServiceAccountToken(false)
                .withTerminationGracePeriodSeconds(workersGrace + BEYOND_WORKERS_SECONDS)
                .withSecurityContext(security.pod())
                .withImagePullSecrets(image.pullSecrets().stream()
                        .map(LocalObjectReference::new)
                        .toList())
                .withContainers(coordinator())
                .withVolumes(volumes())
                .endSpec()
                .build();
    }

    private Container coordinator() {
        var mounts = new ArrayList<VolumeMount>();
        mounts.add(PodVolumes.mount("job", PodPaths.JOB, true));
        mounts.add(PodVolumes.mount("tmp", PodPaths.TMP, false));
        mounts.addAll(stores.mounts());
        return new ContainerBuilder()
                .withName("coordinator")
                .withImage(image.reference())
                .withImagePullPolicy(image.pullPolicy())
                .withCommand(
                        PodPaths.JAVA,
                        PodPaths.ENGINE,
                        "coordinator",
                        PodPaths.MANIFEST,
                        "--token-file",
                        PodPaths.TOKEN,
                        "--listen",
                        ":" + PodPaths.PORT,
                        "--single",
                        "--run-id",
                        carried.uid() + "-" + carried.names().run(),
                        "--on-sigterm",
                        "step-down",
                        "--termination-message",
                        PodPaths.TERMINATION,
                        "--progress",
                        "plain")
                .withEnv(new EnvVarBuilder()
                        .withName("FOREBAY_SECRETS_DIR")
                        .withValue(PodPaths.SECRETS)
                        .build())
                // Where it could not even write its message, the end of its log says more than nothing.
                .withTerminationMessagePolicy("FallbackToLogsOnError")
                .addNewPort()
                .withName("http")
                .withContainerPort(PodPaths.PORT)
                .endPort()
                .withNewLivenessProbe()
                .withNewHttpGet()
                .withPath("/healthz")
                .withNewPort(PodPaths.PORT)
                .endHttpGet()
                .withInitialDelaySeconds(10)
                .withPeriodSeconds(20)
                .withTimeoutSeconds(10)
                .withFailureThreshold(6)
                .endLivenessProbe()
                .withResources(Footprint.of(carried.job()).coordinator())
                .withSecurityContext(security.own())
                .withVolumeMounts(mounts)
                .build();
    }

    private List<Volume> volumes() {
        var all = new ArrayList<Volume>();
        all.add(PodVolumes.job(carried.names().secret()));
        all.add(PodVolumes.emptyDir("tmp", "10Gi"));
        all.addAll(stores.volumes());
        return all;
    }
}
