/**
 * Where bytes come from and go to. Start at {@link io.forebay.sidecar.store.Store}; {@code .s3} and {@code .posix} implement
 * it. Not here: retries, parallelism, which file when (see {@code transfer}, {@code flush}).
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.store;
