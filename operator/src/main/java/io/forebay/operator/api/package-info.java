/** The custom resource as Kubernetes clients see it; its meaning is in io.forebay.api. */
@org.jspecify.annotations.NullMarked
package io.forebay.operator.api;
