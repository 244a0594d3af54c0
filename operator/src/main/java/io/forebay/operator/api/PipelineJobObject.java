package io.forebay.operator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import io.forebay.api.v1alpha1.PipelineJob;
import io.forebay.api.v1alpha1.PipelineJobStatus;
import org.jspecify.annotations.Nullable;

/** A PipelineJob as the API server has it: the spec as written, so that one reader ({@link io.forebay.api.job.JobReader}) judges it everywhere. */
@Group(PipelineJob.GROUP)
@Version(PipelineJob.VERSION)
@Kind(PipelineJob.KIND)
@Plural(PipelineJob.PLURAL)
@Singular("pipelinejob")
@ShortNames(PipelineJob.SHORT_NAME)
public final class PipelineJobObject extends CustomResource<ObjectNode, PipelineJobStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Override
    protected @Nullable ObjectNode initSpec() {
        return null;
    }

    @Override
    protected @Nullable PipelineJobStatus initStatus() {
        return null;
    }
}
