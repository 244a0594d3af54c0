package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.http.ProxyChoice.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.urlconnection.ProxyConfiguration;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.endpoints.S3EndpointParams;
import software.amazon.awssdk.services.s3.endpoints.S3EndpointProvider;

/** Makes SDK clients: no retries, no trailers, our timeouts, trust and identity. */
final class SdkClients {
    static {
        // HttpURLConnection repeats a POST that failed on a kept connection, unseen: a second upload would be created
        // that nobody
        // knows the id of. Read once, when the JDK's client is first used.
        if (System.getProperty("sun.net.http.retryPost") == null) {
            System.setProperty("sun.net.http.retryPost", "false");
        }
    }

    private SdkClients() {}

    static S3Client of(
            S3Settings settings, Identity identity, Trust trust, Optional<Proxy> proxy, Duration socketTimeout) {
        var http = UrlConnectionHttpClient.builder()
                .connectionTimeout(settings.timeouts().connect())
                .proxyConfiguration(configuration(proxy))
                .socketTimeout(socketTimeout);
        http.tlsTrustManagersProvider(trust::managers);
        var client = S3Client.builder()
                .httpClientBuilder(http)
                .region(Region.of(settings.region()))
                .credentialsProvider(identity)
                .forcePathStyle(settings.pathStyle())
                // Checksums are this package's own business; some servers refuse the SDK's (CASES O1).
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .disableS3ExpressSessionAuth(true)
                .serviceConfiguration(S3Configuration.builder()
                        .chunkedEncodingEnabled(false)
                        .expectContinueEnabled(false)
                        .build())
                .overrideConfiguration(o -> o.retryStrategy(AwsRetryStrategy.doNotRetry()));
        if (settings.endpoint() != null) {
            client.endpointOverride(settings.endpoint());
        }
        return client.build();
    }

    /** Only what was found in the environment by our own rules: both ways to the server then take the same road. */
    private static ProxyConfiguration configuration(Optional<Proxy> proxy) {
        var configuration =
                ProxyConfiguration.builder().useSystemPropertyValues(false).useEnvironmentVariablesValues(false);
        proxy.ifPresent(p -> configuration
                .endpoint(URI.create("http://" + p.host() + ":" + p.port()))
                .username(p.user())
                .password(p.password()));
        return configuration.build();
    }

    /** Where requests for the bucket go: host, and what stands before the key in the path. */
    static URI bucketUrl(S3Settings settings) throws StoreException {
        var params = S3EndpointParams.builder()
                .bucket(settings.bucket())
                .region(Region.of(settings.region()))
                .forcePathStyle(settings.pathStyle())
                .disableS3ExpressSessionAuth(true);
        var endpoint = settings.endpoint();
        if (endpoint != null) {
            params.endpoint(endpoint.toString());
        }
        try {
            return S3EndpointProvider.defaultProvider()
                    .resolveEndpoint(params.build())
                    .join()
                    .url();
        } catch (java.util.concurrent.CompletionException e) {
            throw new StoreException(
                    StoreException.Kind.PERMANENT,
                    "bucket '" + settings.bucket() + "' cannot be addressed at " + settings.where() + ": "
                            + String.valueOf(
                                    e.getCause() == null
                                            ? e.getMessage()
                                            : e.getCause().getMessage()),
                    e,
                    true);
        }
    }
}
