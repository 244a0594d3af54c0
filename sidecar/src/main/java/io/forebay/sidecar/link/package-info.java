/**
 * The line between a worker and its coordinator: the same calls inside one process ({@code forebay run}) or over HTTP with the
 * job's token. Start at {@link io.forebay.sidecar.link.CoordinatorLink}. Not here: what either side decides.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.link;
