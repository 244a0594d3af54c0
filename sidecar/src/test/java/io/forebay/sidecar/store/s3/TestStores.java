package io.forebay.sidecar.store.s3;

import io.forebay.testing.S3ProxyServer;
import java.net.URI;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** Stores against test servers, which all take the same keys. */
final class TestStores {
    private TestStores() {}

    static Identity identity() {
        return new Identity(
                () -> StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(S3ProxyServer.ACCESS_KEY, S3ProxyServer.SECRET_KEY)),
                "test");
    }

    static S3Settings settings(URI endpoint, String bucket) {
        return new S3Settings(
                bucket,
                endpoint,
                "us-east-1",
                true,
                null,
                PartPlan.Sizes.DEFAULT,
                S3Settings.MAX_CONNECTIONS,
                S3Settings.Timeouts.DEFAULT);
    }
}
