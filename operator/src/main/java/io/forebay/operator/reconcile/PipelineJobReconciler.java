package io.forebay.operator.reconcile;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.forebay.api.v1alpha1.Phase;
import io.forebay.api.v1alpha1.PipelineJobStatus;
import io.forebay.operator.api.PipelineJobObject;
import io.forebay.operator.children.CarriedJob;
import io.forebay.operator.children.Children;
import io.forebay.operator.children.JobTokens;
import io.forebay.operator.children.Labels;
import io.forebay.operator.decide.ClusterRules;
import io.forebay.operator.decide.Decider;
import io.forebay.operator.decide.Refusal;
import io.forebay.operator.observe.CoordinatorClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Carries PipelineJobs: observe, decide, act, tell. One call at a time for each job. */
@ControllerConfiguration(name = "pipelinejob")
public final class PipelineJobReconciler implements Reconciler<PipelineJobObject> {
    private static final Logger LOG = Logger.getLogger(PipelineJobReconciler.class);

    private final ManifestOf manifests;
    private final ClusterView view;
    private final ClusterHand hand;
    private final EventLog events;
    private final Pace pace = new Pace();

    public PipelineJobReconciler(
            KubernetesClient client,
            Children children,
            JobTokens tokens,
            CoordinatorClient coordinators,
            ClusterRules rules) {
        this.manifests = new ManifestOf(rules);
        this.view = new ClusterView(client, coordinators, tokens);
        this.hand = new ClusterHand(client, children);
        this.events = new EventLog(client);
    }

    /** Jobs that have begun and not ended. */
    public int running() {
        return pace.jobs();
    }

    @Override
    public List<EventSource<?, PipelineJobObject>> prepareEventSources(EventSourceContext<PipelineJobObject> context) {
        return List.of(
                new InformerEventSource<>(configuration(Job.class), context),
                new InformerEventSource<>(configuration(Pod.class), context));
    }

    /** Owned, or owned by what is owned: the name stands in an annotation of all. */
    private static <R extends HasMetadata> InformerEventSourceConfiguration<R> configuration(Class<R> type) {
        return InformerEventSourceConfiguration.from(type, PipelineJobObject.class)
                .withName("forebay-" + type.getSimpleName().toLowerCase(Locale.ROOT))
                .withLabelSelector(Labels.SELECTOR)
                .withSecondaryToPrimaryMapper(r -> Labels.annotation(r, Labels.JOB)
                        .map(name -> Set.of(new ResourceID(name, r.getMetadata().getNamespace())))
                        .orElse(Set.of()))
                .build();
    }

    @Override
    public UpdateControl<PipelineJobObject> reconcile(PipelineJobObject object, Context<PipelineJobObject> context)
            throws InterruptedException {
        if (object.getMetadata().getDeletionTimestamp() != null) {
            return UpdateControl.noUpdate();
        }
        return switch (manifests.read(object)) {
            case ManifestOf.Read.Invalid invalid -> {
                var refused = Refusal.of(
                        object.getStatus(),
                        invalid.problems(),
                        object.getMetadata().getGeneration(),
                        Instant.now());
                yield told(object, refused, null);
            }
            case ManifestOf.Read.Valid valid -> carry(object, valid.job(), context);
        };
    }

    private UpdateControl<PipelineJobObject> carry(
            PipelineJobObject object, CarriedJob job, Context<PipelineJobObject> context) throws InterruptedException {
        var there = view.look(
                job,
                context.getSecondaryResourcesAsStream(Job.class).toList(),
                context.getSecondaryResourcesAsStream(Pod.class).toList());
        var decision = new Decider(
                        job,
                        object.getStatus(),
                        there,
                        object.getMetadata().getGeneration(),
                        Instant.now(),
                        pace.each())
                .decide();
        for (var move : decision.moves()) {
            LOG.infof("%s/%s: %s", job.namespace(), job.name(), move);
            hand.act(job, move);
        }
        if (Decider.isFinal(decision.status()) || decision.status().phase() == Phase.SUSPENDED) {
            pace.ended(job.uid());
        } else {
            pace.runs(job.uid());
        }
        return told(object, decision.status(), decision.again().orElse(null));
    }

    private UpdateControl<PipelineJobObject> told(
            PipelineJobObject object, PipelineJobStatus status, @Nullable Duration again) {
        UpdateControl<PipelineJobObject> control;
        if (Objects.equals(object.getStatus(), status)) {
            control = UpdateControl.noUpdate();
        } else {
            events.tell(object, object.getStatus(), status);
            control = UpdateControl.patchStatus(withStatus(object, status));
        }
        return again == null ? control : control.rescheduleAfter(again);
    }

    /** For a server-side apply: only what is ours. */
    private static PipelineJobObject withStatus(PipelineJobObject object, PipelineJobStatus status) {
        var own = new PipelineJobObject();
        own.setMetadata(new ObjectMetaBuilder()
                .withName(object.getMetadata().getName())
                .withNamespace(object.getMetadata().getNamespace())
                .withUid(object.getMetadata().getUid())
                .build());
        own.setStatus(status);
        return own;
    }
}
