package io.forebay.operator.reconcile;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.forebay.api.v1alpha1.Phase;
import io.forebay.api.v1alpha1.PipelineJob;
import io.forebay.api.v1alpha1.PipelineJobStatus;
import io.forebay.operator.api.PipelineJobObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Tells the changes of a job's status as events of its object, once each. */
final class EventLog {
    private static final Logger LOG = Logger.getLogger(EventLog.class);
    private static final int LONGEST = 1000;

    private final KubernetesClient client;
    /** What was told last of each object: a status that was written just now may not be in the cache yet. */
    private final Map<String, String> last = new ConcurrentHashMap<>();

    EventLog(KubernetesClient client) {
        this.client = client;
    }

    void tell(PipelineJobObject job, @Nullable PipelineJobStatus before, PipelineJobStatus after) {
        boolean phase = before == null || before.phase() != after.phase();
        boolean reason = before != null && !Objects.equals(before.reason(), after.reason());
        boolean blocked = after.conditions().stream()
                .anyMatch(c -> c.type().equals("Blocked") && c.status().equals("True"));
        if (!phase && !(reason && blocked)) {
            return;
        }
        var words = after.phase() + " " + after.reason() + " " + after.run();
        if (words.equals(last.put(job.getMetadata().getUid(), words))) {
            return;
        }
        boolean bad = blocked || after.phase() == Phase.FAILED;
        var message = after.message() == null ? "" : after.message();
        var event = new EventBuilder()
                .withNewMetadata()
                .withGenerateName(job.getMetadata().getName() + ".")
                .withNamespace(job.getMetadata().getNamespace())
                .endMetadata()
                .withNewInvolvedObject()
                .withApiVersion(PipelineJob.API_VERSION)
                .withKind(PipelineJob.KIND)
                .withName(job.getMetadata().getName())
                .withNamespace(job.getMetadata().getNamespace())
                .withUid(job.getMetadata().getUid())
                .endInvolvedObject()
                .withType(bad ? "Warning" : "Normal")
                .withReason(after.reason())
                .withMessage(message.length() > LONGEST ? message.substring(0, LONGEST) + "..." : message)
                .withNewSource()
                .withComponent("forebay-operator")
                .endSource()
                .withFirstTimestamp(
                        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .withLastTimestamp(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .withCount(1)
                .build();
        try {
            client.resource(event).create();
        } catch (KubernetesClientException e) {
            LOG.warnf("an event of %s could not be told: %s", job.getMetadata().getName(), e.getMessage());
        }
    }
}
