/**
 * What is made of the records of {@link io.forebay.api.v1alpha1}: the CustomResourceDefinition and the reference page. Start
 * at {@link io.forebay.api.crd.Crd}. Used by tests and builds alone. Pure; no I/O.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.api.crd;
