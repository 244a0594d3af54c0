/** The objects that a PipelineJob owns: Secret, Service, coordinator Job, worker Job. Pure: from a job to manifests. */
@org.jspecify.annotations.NullMarked
package io.forebay.operator.children;
