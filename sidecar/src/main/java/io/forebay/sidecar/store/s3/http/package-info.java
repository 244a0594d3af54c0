/**
 * HTTP/1.1 for requests that move bytes: blocking channels, for virtual threads, and bodies that go straight into the caller's
 * buffer. Start at {@link io.forebay.sidecar.store.s3.http.HttpPool}. Not here: S3, retries of answers, redirects, cookies,
 * compression.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.store.s3.http;
