/**
 * Leases the plan's items to workers, decides which attempt may publish ({@code Commits.commit}) and when an item is done ({@code
 * Commits.ended}), and keeps the truth in the records. Not here: users' data.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.coordinator;
