package io.forebay.operator.reconcile;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.forebay.operator.api.PipelineJobObject;
import io.forebay.operator.children.CarriedJob;
import io.forebay.operator.children.Children;
import io.forebay.operator.decide.Move;
import java.net.HttpURLConnection;
import java.util.Map;

/** Does what was decided. Each move may be repeated: what is there already, or gone already, is as it should be. Thread-safe. */
final class ClusterHand {
    private final KubernetesClient client;
    private final Children children;

    ClusterHand(KubernetesClient client, Children children) {
        this.client = client;
        this.children = children;
    }

    void act(CarriedJob job, Move move) {
        switch (move) {
            case Move.EnsureCommon _ -> {
                create(children.secret(job));
                create(children.service(job));
            }
            case Move.CreateCoordinator c -> create(children.coordinator(job, c.generation()));
            case Move.CreateWorkers w -> create(children.workers(job, w.pods()));
            case Move.ScaleWorkers s -> edit(job, s.name(), Map.of("parallelism", s.pods(), "completions", s.pods()));
            case Move.SetSuspend s -> edit(job, s.name(), Map.of("suspend", s.suspend()));
            case Move.DeleteJob d ->
                client.batch()
                        .v1()
                        .jobs()
                        .inNamespace(job.namespace())
                        .withName(d.name())
                        .withPropagationPolicy(DeletionPropagation.FOREGROUND)
                        .delete();
            case Move.DeleteOwner _ ->
                client.resources(PipelineJobObject.class)
                        .inNamespace(job.namespace())
                        .withName(job.name())
                        .delete();
        }
    }

    /** A JSON merge patch: nothing else of the Job is touched. */
    private void edit(CarriedJob job, String name, Map<String, Object> spec) {
        client.batch()
                .v1()
                .jobs()
                .inNamespace(job.namespace())
                .withName(name)
                .patch(PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(Map.of("spec", spec)));
    }

    private void create(HasMetadata object) {
        try {
            client.resource(object).create();
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
        }
    }
}
