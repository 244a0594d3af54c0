package io.forebay.sidecar.store.s3;

import io.forebay.api.job.Job.StoreAccess;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.profiles.ProfileFileSupplier;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;

/**
 * Finds the identity of a store, in this order: anonymous; the Secret of that name mounted below FOREBAY_SECRETS_DIR; the
 * profile of that name in the user's AWS files; static keys, then web identity, of the environment; the SDK's default chain.
 * Thread-safe.
 */
final class Identities implements AutoCloseable {
    /** A folder with one folder per Secret, one file per key, as Kubernetes mounts them. */
    static final String SECRETS_DIR = "FOREBAY_SECRETS_DIR";

    /**
     * Longest wait, in ms, before a token service that throttles is asked a second and last time. The default of 20 s lets 200
     * workers that start at once ask at 10 a second (CASES R9); the SDK's own back-off of at most a second would ask at 200.
     */
    static final String THROTTLE_MILLIS = "FOREBAY_TOKEN_BACKOFF_MILLIS";

    private static final long THROTTLE_DEFAULT = 20_000;

    private final Environment env;
    private final ConcurrentHashMap<String, Identity> shared = new ConcurrentHashMap<>();

    Identities(Environment env) {
        this.env = env;
    }

    Identity of(@Nullable StoreAccess access) {
        if (access != null && access.anonymous()) {
            return Identity.ANONYMOUS;
        }
        var secret = access == null ? null : access.secretName();
        return shared.computeIfAbsent(secret == null ? "" : secret, key -> find(secret));
    }

    private Identity find(@Nullable String secret) {
        if (secret == null) {
            return ambient("");
        }
        var folders = env.variable(SECRETS_DIR);
        if (folders != null && Files.isDirectory(Path.of(folders, secret))) {
            var folder = Path.of(folders, secret);
            return new Identity(() -> new SecretFolder(folder), "Secret '" + secret + "'");
        }
        var profiles = profileFiles();
        if (profiles.get().profile(secret).isPresent()) {
            return new Identity(() -> profile(profiles, secret), "profile '" + secret + "'");
        }
        return ambient(" (no profile '" + secret + "' in the AWS files)");
    }

    private Identity ambient(String note) {
        var key = env.variable("AWS_ACCESS_KEY_ID");
        var secretKey = env.variable("AWS_SECRET_ACCESS_KEY");
        if (key != null && secretKey != null) {
            var credentials = keys(key, secretKey, env.variable("AWS_SESSION_TOKEN"));
            return new Identity(() -> StaticCredentialsProvider.create(credentials), "environment" + note);
        }
        var token = env.variable("AWS_WEB_IDENTITY_TOKEN_FILE");
        var role = env.variable("AWS_ROLE_ARN");
        if (token != null && role != null) {
            return new Identity(() -> webIdentity(Path.of(token), role), "web identity " + role + note);
        }
        return new Identity(this::defaultChain, "default chain" + note);
    }

    static AwsCredentials keys(String key, String secretKey, @Nullable String token) {
        return token == null
                ? AwsBasicCredentials.create(key, secretKey)
                : AwsSessionCredentials.create(key, secretKey, token);
    }

    private AwsCredentialsProvider profile(Supplier<ProfileFile> profiles, String name) {
        return ProfileCredentialsProvider.builder()
                .profileFile(profiles)
                .profileName(name)
                .build();
    }

    private AwsCredentialsProvider defaultChain() {
        var chain = DefaultCredentialsProvider.builder().profileFile(profileFiles());
        var name = env.variable("AWS_PROFILE");
        if (name != null) {
            chain.profileName(name);
        }
        return chain.build();
    }

    private AwsCredentialsProvider webIdentity(Path token, String role) {
        var configured = env.variable(THROTTLE_MILLIS);
        long most = configured == null ? THROTTLE_DEFAULT : Math.max(10, Long.parseLong(configured));
        var retries = AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .maxAttempts(2)
                .throttlingBackoffStrategy(
                        attempt -> Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 10, most)))
                .build();
        var sts = StsClient.builder()
                .region(Region.of(region(null)))
                .credentialsProvider(software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider.create())
                .overrideConfiguration(o -> o.retryStrategy(retries))
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(S3Settings.CONNECT_TIMEOUT)
                        .socketTimeout(S3Settings.CONTROL_TIMEOUT));
        var endpoint = env.variable("AWS_ENDPOINT_URL_STS");
        if (endpoint != null) {
            sts.endpointOverride(URI.create(endpoint));
        }
        var session = env.variable("AWS_ROLE_SESSION_NAME");
        return StsWebIdentityTokenFileCredentialsProvider.builder()
                .stsClient(sts.build())
                .roleArn(role)
                .roleSessionName(session == null ? "forebay" : session)
                .webIdentityTokenFile(token)
                .build();
    }

    /** Read again when a file changes; empty where there is none. */
    ProfileFileSupplier profileFiles() {
        List<ProfileFileSupplier> found = new ArrayList<>();
        var credentials = env.file("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
        if (Files.isReadable(credentials)) {
            found.add(ProfileFileSupplier.reloadWhenModified(credentials, ProfileFile.Type.CREDENTIALS));
        }
        var config = env.file("AWS_CONFIG_FILE", ".aws/config");
        if (Files.isReadable(config)) {
            found.add(ProfileFileSupplier.reloadWhenModified(config, ProfileFile.Type.CONFIGURATION));
        }
        return found.isEmpty()
                ? ProfileFileSupplier.fixedProfileFile(ProfileFile.aggregator().build())
                : ProfileFileSupplier.aggregate(found.toArray(ProfileFileSupplier[]::new));
    }

    /** The region that environment or profile name; us-east-1 where none does, which custom endpoints take as well. */
    String region(@Nullable String profile) {
        for (var name : List.of("AWS_REGION", "AWS_DEFAULT_REGION")) {
            var region = env.variable(name);
            if (region != null) {
                return region;
            }
        }
        var named = property(profile, "region");
        return named != null ? named : "us-east-1";
    }

    /** An endpoint that environment or profile name. */
    @Nullable
    String endpoint(@Nullable String profile) {
        for (var name : List.of("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")) {
            var endpoint = env.variable(name);
            if (endpoint != null) {
                return endpoint;
            }
        }
        return property(profile, "endpoint_url");
    }

    private @Nullable String property(@Nullable String profile, String property) {
        var chosen = env.variable("AWS_PROFILE");
        var fallback = chosen == null ? "default" : chosen;
        var files = profileFiles().get();
        var section = files.profile(profile == null ? fallback : profile).or(() -> files.profile(fallback));
        return section.flatMap(p -> p.property(property)).orElse(null);
    }

    @Override
    public void close() {
        shared.values().forEach(Identity::close);
        shared.clear();
    }
}
