package io.forebay.operator.reconcile;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.forebay.api.job.JobReader;
import io.forebay.api.manifest.Problem;
import io.forebay.api.v1alpha1.PipelineJob;
import io.forebay.message.MessageJson;
import io.forebay.operator.api.PipelineJobObject;
import io.forebay.operator.children.CarriedJob;
import io.forebay.operator.decide.ClusterRules;
import java.util.List;

/** Reads an object of the API server with the same reader as the command line: one verdict everywhere. */
record ManifestOf(ClusterRules rules) {
    sealed interface Read {
        record Valid(CarriedJob job) implements Read {}

        /** @param problems at least one */
        record Invalid(List<Problem> problems) implements Read {}
    }

    Read read(PipelineJobObject object) {
        var meta = object.getMetadata();
        var result = JobReader.read(text(object));
        return switch (result) {
            case JobReader.Invalid invalid -> new Read.Invalid(invalid.problems());
            case JobReader.Valid valid -> {
                var carried = new CarriedJob(
                        meta.getName(), meta.getNamespace(), meta.getUid(), valid.job(), valid.manifest());
                var problems = rules.check(carried);
                yield problems.isEmpty() ? new Read.Valid(carried) : new Read.Invalid(problems);
            }
        };
    }

    private static byte[] text(PipelineJobObject object) {
        var root = MessageJson.MAPPER.createObjectNode();
        root.put("apiVersion", PipelineJob.API_VERSION).put("kind", PipelineJob.KIND);
        var meta = root.putObject("metadata")
                .put("name", object.getMetadata().getName())
                .put("namespace", object.getMetadata().getNamespace());
        var labels = object.getMetadata().getLabels();
        if (labels != null && !labels.isEmpty()) {
            ObjectNode own = meta.putObject("labels");
            labels.forEach(own::put);
        }
        root.set("spec", object.getSpec());
        try {
            return MessageJson.MAPPER.writeValueAsBytes(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree is always JSON", e);
        }
    }
}
