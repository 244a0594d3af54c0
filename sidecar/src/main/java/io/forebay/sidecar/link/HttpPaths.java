package io.forebay.sidecar.link;

import java.time.Duration;

/** What both sides of the HTTP link agree on: one POST per question, JSON both ways, the job's token as bearer. */
final class HttpPaths {
    static final String REGISTER = "/v1/register";
    static final String SHARED = "/v1/shared";
    static final String LEASE = "/v1/lease";
    static final String RENEW = "/v1/renew";
    static final String STAGING = "/v1/staging";
    static final String COMMIT = "/v1/commit";
    static final String ENDED = "/v1/ended";
    static final String RELEASE = "/v1/release";
    static final String LEAVE = "/v1/leave";
    static final String JOB = "/v1/job";
    static final String STATUS = "/status";
    static final String METRICS = "/metrics";
    static final String HEALTH = "/healthz";
    static final String READY = "/readyz";

    /** Names one question: asked again with the same value it gets the same answer. */
    static final String REQUEST_ID = "X-Forebay-Request";

    /** Bytes of a question: some 25,000 outputs of one item. */
    static final int LARGEST_QUESTION = 8 << 20;

    /** An answer that needs no records. */
    static final Duration SOON = Duration.ofSeconds(10);
    /** One that waits for the records store. */
    static final Duration DURABLE = Duration.ofSeconds(90);

    private HttpPaths() {}

    /** @param message for people */
    record Problem(String message) {}
}
