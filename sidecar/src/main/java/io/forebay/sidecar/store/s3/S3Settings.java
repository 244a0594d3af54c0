package io.forebay.sidecar.store.s3;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.value.Endpoints;
import io.forebay.api.value.StoreUri;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How one bucket is reached.
 *
 * @param endpoint absent: Amazon's for the region
 * @param pathStyle bucket in the path rather than in the host name
 * @param caFile PEM file of certificate authorities that are trusted beside the system's
 * @param sizes where small ends, and how large files are cut
 * @param maxConnections most connections at once, and so most descriptors
 */
record S3Settings(
        String bucket,
        @Nullable URI endpoint,
        String region,
        boolean pathStyle,
        @Nullable String caFile,
        PartPlan.Sizes sizes,
        int maxConnections,
        Timeouts timeouts) {

    /** A server that does not take a connection in this time is away or overrun; retries wait longer than this would. */
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** For list, stat and the like; page 1 of a large prefix takes some servers seconds. */
    static final Duration CONTROL_TIMEOUT = Duration.ofSeconds(15);

    /** For one page of a listing, of which a MiB at most is usual, however slowly its bytes come. */
    static final Duration PAGE_TIMEOUT = Duration.ofMinutes(2);

    /** A completion copies all parts on some servers (versitygw: at disk speed), silently. */
    static final Duration COMPLETE_TIMEOUT = Duration.ofMinutes(10);

    /**
     * Longest silence before a request counts as lost.
     *
     * @param read for the next bytes of an answer to a read: a hanging range is read again within 15 s (CASES I5)
     * @param write for an answer to an upload, which the server first makes durable; also for the server to take more bytes
     */
    record Timeouts(Duration connect, Duration read, Duration write) {
        static final Timeouts DEFAULT = new Timeouts(CONNECT_TIMEOUT, Duration.ofSeconds(10), Duration.ofSeconds(30));

        Timeouts {
            for (var d : new Duration[] {connect, read, write}) {
                if (d.isNegative() || d.isZero()) {
                    throw new IllegalArgumentException("not a positive timeout: " + d);
                }
            }
        }
    }

    /**
     * As many requests as the transfer engine makes at one store: 64 that read, 64 that write, and second ones beside a quarter of the
     * reads. A request that waits for a connection looks like one that stalls. Far below the 900 descriptors that the engine allows itself (CASES M8).
     */
    static final int MAX_CONNECTIONS = 144;

    S3Settings {
        if (bucket.isEmpty()) {
            throw new IllegalArgumentException("no bucket");
        }
        if (maxConnections < 1) {
            throw new IllegalArgumentException("maxConnections: " + maxConnections);
        }
    }

    /** @throws IllegalArgumentException naming the setting that is wrong */
    static S3Settings of(StoreUri root, @Nullable StoreAccess access, Environment env) {
        if (root.scheme() != StoreUri.Scheme.S3) {
            throw new IllegalArgumentException(root + " is not an s3 URI");
        }
        var secret = access == null ? null : access.secretName();
        var text = access == null ? null : access.endpoint();
        if (text == null) {
            text = env.identities().endpoint(secret);
        }
        var endpoint = text == null ? null : Endpoints.parse(text);
        var region = access == null ? null : access.region();
        var caFile = access == null ? null : access.caFile();
        return new S3Settings(
                root.authority(),
                endpoint,
                region == null ? env.identities().region(secret) : region,
                access == null ? endpoint != null : access.pathStyle().orElse(endpoint != null),
                caFile == null ? env.variable("AWS_CA_BUNDLE") : caFile,
                PartPlan.Sizes.DEFAULT,
                MAX_CONNECTIONS,
                Timeouts.DEFAULT);
    }

    S3Settings withSizes(PartPlan.Sizes value) {
        return new S3Settings(bucket, endpoint, region, pathStyle, caFile, value, maxConnections, timeouts);
    }

    S3Settings withTimeouts(Timeouts value) {
        return new S3Settings(bucket, endpoint, region, pathStyle, caFile, sizes, maxConnections, value);
    }

    S3Settings withMaxConnections(int value) {
        return new S3Settings(bucket, endpoint, region, pathStyle, caFile, sizes, value, timeouts);
    }

    /** For messages. */
    String where() {
        return endpoint == null ? "Amazon S3 in " + region : endpoint.toString();
    }
}
