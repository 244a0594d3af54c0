/**
 * Lists the inputs, makes the plan, leases items to workers, decides which attempt may publish, and keeps the truth in the
 * records. Not here: users' data.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.coordinator;
