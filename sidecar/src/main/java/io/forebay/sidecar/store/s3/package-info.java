/**
 * S3 buckets as a store. Start at {@link io.forebay.sidecar.store.s3.S3Store}. Control operations (list, stat, multipart
 * bookkeeping) go through the AWS SDK, bytes through a {@link io.forebay.sidecar.store.s3.DataPath}. What servers were found to
 * honour is learned in {@link io.forebay.sidecar.store.s3.ServerHabits}. Not here: retries, parallelism, bandwidth.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.store.s3;
