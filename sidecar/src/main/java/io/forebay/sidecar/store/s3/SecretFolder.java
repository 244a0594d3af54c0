package io.forebay.sidecar.store.s3;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;

/**
 * Keys in a mounted Secret, read again at most every 30 s, since a rotated Secret changes below the mount. Thread-safe.
 *
 * <p>Files: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN (may be absent).
 */
final class SecretFolder implements AwsCredentialsProvider {
    /** kubelet itself needs about a minute to bring a change. */
    private static final long MAX_AGE_NANOS = 30_000_000_000L;

    private final Path folder;
    private volatile @Nullable Read last;

    private record Read(AwsCredentials credentials, long atNanos) {}

    SecretFolder(Path folder) {
        this.folder = folder;
    }

    @Override
    public AwsCredentials resolveCredentials() {
        var known = last;
        long now = System.nanoTime();
        if (known != null && now - known.atNanos < MAX_AGE_NANOS) {
            return known.credentials;
        }
        var fresh = read();
        last = new Read(fresh, now);
        return fresh;
    }

    private AwsCredentials read() {
        try {
            var token = folder.resolve("AWS_SESSION_TOKEN");
            return Identities.keys(
                    text("AWS_ACCESS_KEY_ID"),
                    text("AWS_SECRET_ACCESS_KEY"),
                    Files.exists(token) ? text("AWS_SESSION_TOKEN") : null);
        } catch (IOException e) {
            throw SdkClientException.create(
                    "the Secret mounted at " + folder + " has no readable AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                    e);
        }
    }

    private String text(String name) throws IOException {
        return Files.readString(folder.resolve(name)).strip();
    }
}
