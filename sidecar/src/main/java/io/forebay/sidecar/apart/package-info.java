/**
 * One side of a job in a process of its own, and the line between them over HTTP: what pods and batch jobs start. {@link
 * io.forebay.sidecar.apart.CoordinatorProcess} is {@code forebay coordinator}, {@link io.forebay.sidecar.apart.BufferProcess} is {@code
 * forebay buffer}. What a side is made of is said in {@code io.forebay.sidecar.local}.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.apart;
