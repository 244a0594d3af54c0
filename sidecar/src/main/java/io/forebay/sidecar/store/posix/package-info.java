/**
 * The file system as a store: {@code file://} and {@code lustre://}. Start at {@link io.forebay.sidecar.store.posix.PosixStore}; which
 * files there are: {@code TreeLister}; bytes in: {@code RangeReader}; bytes out: {@code StagedPosixFile}, then {@code Publisher}; what keeps
 * them inside the destination: {@code Destination}; what a hung file system cannot hold up: {@code IoPool}. Not here: retries, parallelism.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.store.posix;
