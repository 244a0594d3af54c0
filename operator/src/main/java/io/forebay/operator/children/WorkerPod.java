package io.forebay.operator.children;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.forebay.api.v1alpha1.StepSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * A worker: the buffer and each step are sidecars (init containers that start again in place, the buffer kept), and {@code commit} is the one main
 * container, so that the pod succeeds when, and only when, what it held is durable.
 */
final class WorkerPod {
    /** Time to write back what is computed, when a pod is told to end. */
    static final long GRACE_SECONDS = 120;
    /** For the engine's end and its answer to commit, within the grace. */
    private static final long MARGIN_SECONDS = 10;

    private final CarriedJob carried;
    private final SidecarImage image;
    private final PodSecurity security;
    private final Footprint footprint;
    private final StoreVolumes stores;

    WorkerPod(CarriedJob carried, SidecarImage image) {
        this.carried = carried;
        this.image = image;
        this.security = PodSecurity.of(carried.manifest().spec().podTemplate());
        this.footprint = Footprint.of(carried.job());
        this.stores = StoreVolumes.of(carried.job());
    }

    /** @param grace seconds that the pod has from SIGTERM to SIGKILL */
    PodTemplateSpec template(long grace) {
        var inits = new ArrayList<Container>();
        inits.add(buffer(grace));
        carried.manifest().spec().steps().forEach(s -> inits.add(step(s)));
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(Labels.of(carried.uid(), Labels.WORKER))
                .addToAnnotations(Labels.JOB, carried.name())
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withEnableServiceLinks(false)
                .withAutomountServiceAccountToken(false)
                .withTerminationGracePeriodSeconds(grace)
                .withSecurityContext(security.pod())
                .withImagePullSecrets(image.pullSecrets().stream()
                        .map(LocalObjectReference::new)
                        .toList())
                .withInitContainers(inits)
                .withContainers(commit())
                .withVolumes(volumes())
                .endSpec()
                .build();
    }

    private Container buffer(long grace) {
        var args = new ArrayList<>(List.of(
                PodPaths.RUNNER_IN_IMAGE,
                "supervise",
                "--ended",
                PodPaths.ENDED,
                "--",
                PodPaths.JAVA,
                PodPaths.ENGINE,
                "buffer",
                PodPaths.MANIFEST,
                "--token-file",
                PodPaths.TOKEN,
                "--coordinator",
                "http://" + carried.names().service() + "." + carried.namespace() + ".svc:" + PodPaths.PORT,
                "--worker",
                "w-$(JOB_COMPLETION_INDEX)",
                "--node",
                "$(NODE_NAME)"));
        for (int i = 0; i < carried.job().buffer().tiers().size(); i++) {
            args.addAll(List.of("--tier", PodVolumes.tierPath(i)));
        }
        args.addAll(List.of(
                "--control",
                PodPaths.CONTROL,
                "--logs",
                PodPaths.LOGS,
                "--steps",
                "socket",
                "--socket",
                PodPaths.SOCKET,
                "--step-token-file",
                PodPaths.STEP_TOKEN_IN_JOB,
                "--step-group",
                Long.toString(PodSecurity.SHARED_GROUP),
                "--install-runner",
                PodPaths.BIN,
                "--grace",
                Math.max(1, grace - MARGIN_SECONDS) + "s",
                "--progress",
                "plain"));
        var mounts = new ArrayList<VolumeMount>();
        mounts.add(PodVolumes.mount("bin", PodPaths.BIN, false));
        mounts.add(PodVolumes.mount("run", PodPaths.RUN, false));
        mounts.add(PodVolumes.mount("control", PodPaths.CONTROL_VOLUME, false));
        mounts.add(PodVolumes.mount("logs", PodPaths.LOGS, false));
        mounts.add(PodVolumes.mount("job", PodPaths.JOB, true));
        mounts.add(PodVolumes.mount("tmp", PodPaths.TMP, false));
        mounts.addAll(PodVolumes.tierMounts(carried.job()));
        mounts.addAll(stores.mounts());
        return new ContainerBuilder()
                .withName("buffer")
                .withImage(image.reference())
                .withImagePullPolicy(image.pullPolicy())
                .withRestartPolicy("Always")
                .withCommand(args)
                .withEnv(
                        new EnvVarBuilder()
                                .withName("NODE_NAME")
                                .withNewValueFrom()
                                .withNewFieldRef()
                                .withFieldPath("spec.nodeName")
                                .endFieldRef()
                                .endValueFrom()
                                .build(),
                        new EnvVarBuilder()
                                .withName("FOREBAY_SECRETS_DIR")
                                .withValue(PodPaths.SECRETS)
                                .build())
                .withResources(footprint.sidecar())
                .withSecurityContext(security.own())
                .withVolumeMounts(mounts)
                // Steps start once the socket is there, or the engine has ended for good, which commit then tells.
                .withNewLifecycle()
                .withNewPostStart()
                .withNewExec()
                .withCommand(PodPaths.RUNNER_IN_IMAGE, "await", "--socket", PodPaths.SOCKET, "--ended", PodPaths.ENDED)
                .endExec()
                .endPostStart()
                .endLifecycle()
                .build();
    }

    private Container step(StepSpec step) {
        var mounts = new ArrayList<VolumeMount>();
        mounts.add(PodVolumes.mount("bin", PodPaths.BIN, true));
        mounts.add(PodVolumes.mount("run", PodPaths.RUN, true));
        mounts.add(PodVolumes.mount("step-token", PodPaths.STEP_TOKEN_FOLDER, true));
        mounts.add(PodVolumes.mount("logs", PodPaths.LOGS, false));
        mounts.add(PodVolumes.mount("tmp-" + step.name(), PodPaths.TMP, false));
        mounts.addAll(PodVolumes.tierMounts(carried.job()));
        return new ContainerBuilder()
                .withName(step.name())
                .withImage(step.image())
                .withImagePullPolicy(image.pullPolicy())
                .withRestartPolicy("Always")
                .withCommand(
                        PodPaths.RUNNER,
                        "step",
                        step.name(),
                        "--socket",
                        PodPaths.SOCKET,
                        "--slots",
                        Integer.toString(carried.job().workers().slots()),
                        "--token-file",
                        PodPaths.STEP_TOKEN,
                        "--ended",
                        PodPaths.ENDED)
                .withResources(footprint.step(step.resources()))
                .withSecurityContext(security.step(Boolean.TRUE.equals(step.useImageUser())))
                .withVolumeMounts(mounts)
                .build();
    }

    private Container commit() {
        return new ContainerBuilder()
                .withName("commit")
                .withImage(image.reference())
                .withImagePullPolicy(image.pullPolicy())
                .withCommand(
                        PodPaths.RUNNER_IN_IMAGE,
                        "commit",
                        "--socket",
                        PodPaths.SOCKET,
                        "--token-file",
                        PodPaths.STEP_TOKEN,
                        "--ended",
                        PodPaths.ENDED)
                .withResources(footprint.commit())
                .withSecurityContext(security.own())
                .withVolumeMounts(
                        PodVolumes.mount("run", PodPaths.RUN, true),
                        PodVolumes.mount("step-token", PodPaths.STEP_TOKEN_FOLDER, true))
                .build();
    }

    private List<Volume> volumes() {
        var secret = carried.names().secret();
        var all = new ArrayList<Volume>();
        all.add(PodVolumes.emptyDir("bin", "16Mi"));
        all.add(PodVolumes.run());
        all.add(PodVolumes.emptyDir("control", "2Gi"));
        all.add(PodVolumes.emptyDir("logs", "2Gi"));
        all.add(PodVolumes.emptyDir("tmp", "256Mi"));
        all.add(PodVolumes.job(secret));
        all.add(PodVolumes.stepToken(secret));
        carried.manifest().spec().steps().forEach(s -> all.add(PodVolumes.emptyDir("tmp-" + s.name(), "10Gi")));
        all.addAll(PodVolumes.tiers(carried.job()));
        all.addAll(stores.volumes());
        return all;
    }
}
