package io.forebay.operator.children;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicy;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicyBuilder;
import io.forebay.api.v1alpha1.PipelineJob;
import java.util.HashMap;
import java.util.Map;

/** Builds what a PipelineJob owns. Pure. Thread-safe. */
public final class Children {
    /** Exit codes of the coordinator that say how the job ended: starting it again would say the same. */
    private static final Integer[] ENDS = {1, 64, 65, 74, 124};

    private final SidecarImage image;
    private final JobTokens tokens;
    private final long longestGrace;
    private final PodTemplates templates;

    /** @param longestGrace of workers, in seconds */
    public Children(SidecarImage image, JobTokens tokens, long longestGrace) {
        this.image = image;
        this.tokens = tokens;
        this.longestGrace = longestGrace;
        this.templates = new PodTemplates();
    }

    public Secret secret(CarriedJob job) {
        return new SecretBuilder()
                .withMetadata(meta(job, job.names().secret(), Labels.COORDINATOR))
                .withType("forebay.io/job")
                .withStringData(Map.of(
                        "job.json", job.job().manifest(),
                        "token", tokens.job(job.uid()),
                        "step-token", tokens.steps(job.uid())))
                .withImmutable(true)
                .build();
    }

    /** Workers find the coordinator before it is ready: it answers while it plans. */
    public Service service(CarriedJob job) {
        return new ServiceBuilder()
                .withMetadata(meta(job, job.names().service(), Labels.COORDINATOR))
                .withNewSpec()
                .withClusterIP("None")
                .withPublishNotReadyAddresses(true)
                .withSelector(Map.of(Labels.JOB_UID, job.uid(), Labels.ROLE, Labels.COORDINATOR))
                .addNewPort()
                .withName("http")
                .withPort(PodPaths.PORT)
                .endPort()
                .endSpec()
                .build();
    }

    /** @param generation from 1 */
    public Job coordinator(CarriedJob job, int generation) {
        var grace = grace(job);
        var meta = meta(job, job.names().coordinator(generation), Labels.COORDINATOR);
        meta.getAnnotations().put(Labels.GENERATION, Integer.toString(generation));
        return new JobBuilder()
                .withMetadata(meta)
                .withNewSpec()
                .withCompletions(1)
                .withParallelism(1)
                .withBackoffLimit(Integer.MAX_VALUE)
                .withPodReplacementPolicy("Failed")
                .withPodFailurePolicy(coordinatorFailures())
                .withTemplate(merged(job, new CoordinatorPod(job, image).template(grace)))
                .endSpec()
                .build();
    }

    /** @param pods from 1 */
    public Job workers(CarriedJob job, int pods) {
        var meta = meta(job, job.names().workers(), Labels.WORKER);
        var queue = job.queue();
        if (queue != null) {
            meta.getLabels().put(Labels.QUEUE, queue);
        }
        return new JobBuilder()
                .withMetadata(meta)
                .withNewSpec()
                .withCompletionMode("Indexed")
                .withCompletions(pods)
                .withParallelism(pods)
                .withSuspend(queue != null || job.suspended() ? true : null)
                .withBackoffLimit(Integer.MAX_VALUE)
                .withPodReplacementPolicy("Failed")
                .withPodFailurePolicy(disruptionsIgnored())
                .withTemplate(merged(job, new WorkerPod(job, image).template(grace(job))))
                .endSpec()
                .build();
    }

    private PodTemplateSpec merged(CarriedJob job, PodTemplateSpec ours) {
        return templates.merge(ours, job.manifest().spec().podTemplate());
    }

    private long grace(CarriedJob job) {
        var template = job.manifest().spec().podTemplate();
        long asked = template == null
                ? WorkerPod.GRACE_SECONDS
                : template.at("/spec/terminationGracePeriodSeconds").asLong(WorkerPod.GRACE_SECONDS);
        return Math.min(asked, longestGrace);
    }

    /** A container is named in each rule: one without also looks at sidecars. */
    private static PodFailurePolicy coordinatorFailures() {
        return new PodFailurePolicyBuilder()
                .addNewRule()
                .withAction("FailJob")
                .withNewOnExitCodes()
                .withContainerName("coordinator")
                .withOperator("In")
                .withValues(ENDS)
                .endOnExitCodes()
                .endRule()
                .addNewRule()
                .withAction("Ignore")
                .addNewOnPodCondition()
                .withType("DisruptionTarget")
                .withStatus("True")
                .endOnPodCondition()
                .endRule()
                .build();
    }

    /** No rule fails the Job: that would kill other workers' flushes. The coordinator counts, and ends a job by telling all to drain. */
    private static PodFailurePolicy disruptionsIgnored() {
        return new PodFailurePolicyBuilder()
                .addNewRule()
                .withAction("Ignore")
                .addNewOnPodCondition()
                .withType("DisruptionTarget")
                .withStatus("True")
                .endOnPodCondition()
                .endRule()
                .build();
    }

    private static ObjectMeta meta(CarriedJob job, String name, String role) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(job.namespace())
                .withLabels(new HashMap<>(Labels.of(job.uid(), role)))
                .addToAnnotations(Labels.JOB, job.name())
                .addToAnnotations(Labels.RUN, job.run())
                .addNewOwnerReference()
                .withApiVersion(PipelineJob.API_VERSION)
                .withKind(PipelineJob.KIND)
                .withName(job.name())
                .withUid(job.uid())
                .withController(true)
                .withBlockOwnerDeletion(false)
                .endOwnerReference()
                .build();
    }
}
