package io.forebay.sidecar.store.s3;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** Who asks. Names itself without secrets. Thread-safe. */
final class Identity implements AwsCredentialsProvider, AutoCloseable {
    static final Identity ANONYMOUS = new Identity(AnonymousCredentialsProvider::create, "anonymous");

    /** Credentials that were just renewed and are refused again will not get better by asking at once. */
    private static final long RENEW_INTERVAL_NANOS = 10_000_000_000L;

    private final Supplier<AwsCredentialsProvider> source;
    private final String origin;
    private volatile @Nullable AwsCredentialsProvider current;
    private volatile String lastKey = "";
    /** Guarded by this. */
    private long renewedNanos = System.nanoTime() - RENEW_INTERVAL_NANOS;

    /** @param source makes a provider that has cached nothing @param origin where the keys come from, for the user */
    Identity(Supplier<AwsCredentialsProvider> source, String origin) {
        this.source = source;
        this.origin = origin;
    }

    boolean anonymous() {
        return this == ANONYMOUS;
    }

    /**
     * Blocks while a token is asked for.
     *
     * @throws software.amazon.awssdk.core.exception.SdkClientException there are none
     */
    @Override
    public AwsCredentials resolveCredentials() {
        var credentials = provider().resolveCredentials();
        var key = credentials.accessKeyId();
        if (key != null && !key.equals(lastKey)) {
            lastKey = key;
        }
        return credentials;
    }

    private AwsCredentialsProvider provider() {
        var known = current;
        return known != null ? known : make();
    }

    private synchronized AwsCredentialsProvider make() {
        var known = current;
        if (known == null) {
            known = source.get();
            current = known;
        }
        return known;
    }

    /** The server said that the credentials have expired: forgets what is cached, so that the next request asks anew. */
    synchronized void renew() {
        long now = System.nanoTime();
        if (!anonymous() && now - renewedNanos >= RENEW_INTERVAL_NANOS) {
            renewedNanos = now;
            close();
        }
    }

    /** For messages: origin and the key's last 4 characters. */
    String description() {
        var key = lastKey;
        return key.isEmpty()
                ? origin
                : "access key ..." + key.substring(Math.max(0, key.length() - 4)) + " from " + origin;
    }

    @Override
    public synchronized void close() {
        var known = current;
        current = null;
        if (known instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                throw new IllegalStateException("closing the credentials of " + origin, e);
            }
        }
    }
}
