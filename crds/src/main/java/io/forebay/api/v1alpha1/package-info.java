/**
 * PipelineJob as users write it, version v1alpha1: one record per object, nothing parsed, nothing filled in ({@code null} is
 * unset). The validator, the CRD and the reference page are made from these records. Start at {@link
 * io.forebay.api.v1alpha1.PipelineJob}. No behaviour here.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.api.v1alpha1;
