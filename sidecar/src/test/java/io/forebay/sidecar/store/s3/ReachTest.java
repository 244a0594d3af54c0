package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import io.forebay.testing.TestCertificate;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How stores are reached: endpoints, TLS, proxies, identities, as the manifest and the environment say. */
class ReachTest {
    private static final byte[] BYTES = "some bytes".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private ScriptedS3 server;
    private final Map<String, String> variables = new HashMap<>();

    @BeforeEach
    void start() throws Exception {
        server = ScriptedS3.start("bucket");
        variables.put("AWS_EC2_METADATA_DISABLED", "true");
        variables.put("AWS_ACCESS_KEY_ID", "AKIAENVIRONMENT");
        variables.put("AWS_SECRET_ACCESS_KEY", "secretenvironment");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private static StoreAccess access(String endpoint, String region, String secret, boolean anonymous, String caFile) {
        return new StoreAccess(
                StoreUri.parse("s3://bucket"),
                endpoint,
                region,
                secret,
                null,
                anonymous,
                Optional.empty(),
                caFile,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private StoreAccess access() {
        return access(server.endpoint().toString(), null, null, false, null);
    }

    private interface Use {
        void with(S3Store store) throws Exception;
    }

    private void use(StoreAccess access, Use use) throws Exception {
        try (var env = new Environment(variables, folder);
                var store = S3Store.open(StoreUri.parse("s3://bucket/prefix"), access, env)) {
            use.with(store);
        }
    }

    private static void roundTrip(S3Store store) throws Exception {
        store.put("key", BYTES);
        assertThat(store.get("key", 100)).isEqualTo(BYTES);
        assertThat(store.stat("key").version().size()).isEqualTo(BYTES.length);
    }

    private String authorization() {
        return server.requests().getLast().headers().getOrDefault("authorization", "none");
    }

    private static StoreException failure(ThrowableAssert.ThrowingCallable call) {
        return (StoreException) Assertions.catchThrowable(call);
    }

    // ---- identities

    @Test
    @DisplayName("K2 keys of the environment, with session token and region")
    void environment() throws Exception {
        variables.put("AWS_SESSION_TOKEN", "token");
        variables.put("AWS_REGION", "eu-west-3");
        use(access(), ReachTest::roundTrip);
        assertThat(server.requests()).allSatisfy(r -> {
            assertThat(r.header("authorization")).contains("AKIAENVIRONMENT").contains("/eu-west-3/s3/");
            assertThat(r.header("x-amz-security-token")).isEqualTo("token");
        });
    }

    @Test
    @DisplayName("K2 secretName is a profile of the user's AWS files, with its region and endpoint")
    void profile() throws Exception {
        Files.createDirectories(folder.resolve(".aws"));
        Files.writeString(
                folder.resolve(".aws/credentials"),
                "[lab]\naws_access_key_id = AKIAPROFILE\naws_secret_access_key = x\n[default]\naws_access_key_id = AKIADEFAULT\naws_secret_access_key = y\n");
        Files.writeString(
                folder.resolve(".aws/config"),
                "[profile lab]\nregion = lab-1\nendpoint_url = " + server.endpoint() + "\n");
        use(access(null, null, "lab", false, null), ReachTest::roundTrip);
        assertThat(server.requests())
                .allSatisfy(r -> assertThat(r.header("authorization"))
                        .contains("AKIAPROFILE")
                        .contains("/lab-1/s3/"));
        assertThat(server.requests().getLast().target()).startsWith("/bucket/");
    }

    @Test
    @DisplayName("K2 a secretName without profile falls back, and the messages say so")
    void noProfile() throws Exception {
        server.on(r -> true, (r, s) -> Answer.error(403, "AccessDenied"));
        use(
                access(server.endpoint().toString(), null, "nowhere", false, null),
                store -> assertThat(failure(() -> store.put("key", BYTES)))
                        .hasMessageContainingAll("MENT", "environment", "no profile 'nowhere'"));
    }

    @Test
    @DisplayName("K2 secretName is a mounted Secret, read again when it changed")
    void mountedSecret() throws Exception {
        var secret = Files.createDirectories(folder.resolve("secrets/lab"));
        Files.writeString(secret.resolve("AWS_ACCESS_KEY_ID"), "AKIASECRET\n");
        Files.writeString(secret.resolve("AWS_SECRET_ACCESS_KEY"), "s\n");
        variables.put("FOREBAY_SECRETS_DIR", folder.resolve("secrets").toString());
        use(access(server.endpoint().toString(), null, "lab", false, null), store -> {
            roundTrip(store);
            assertThat(authorization()).contains("AKIASECRET/");
            Files.writeString(secret.resolve("AWS_ACCESS_KEY_ID"), "AKIARENEWED");
            server.on(
                    r -> r.header("authorization").contains("AKIASECRET"), (r, s) -> Answer.error(400, "ExpiredToken"));
            assertThat(failure(() -> store.put("key", BYTES)).kind()).isEqualTo(Kind.CREDENTIALS);
            roundTrip(store);
            assertThat(authorization()).contains("AKIARENEWED/");
        });
    }

    @Test
    @DisplayName("R6 expired credentials are renewed before the next try, for control and data, but not in a hot loop")
    void renewed() throws Exception {
        var token = Files.writeString(folder.resolve("token"), "jwt");
        try (var sts = new TokenService()) {
            webIdentity(token, sts);
            use(access(), store -> {
                roundTrip(store);
                assertThat(authorization()).contains("AKIATOKEN1/");
                server.on(
                        r -> r.header("authorization").contains("AKIATOKEN1"),
                        (r, s) -> Answer.error(403, "ExpiredToken"));
                // HEAD has no body to say why.
                assertThat(failure(() -> store.stat("key")).kind()).isEqualTo(Kind.CREDENTIALS);
                roundTrip(store);
                assertThat(authorization()).contains("AKIATOKEN2/");
                server.on(r -> true, (r, s) -> Answer.error(403, "ExpiredToken"));
                for (int i = 0; i < 10; i++) {
                    assertThat(failure(() -> store.get("key", 100)).kind()).isEqualTo(Kind.CREDENTIALS);
                }
            });
            assertThat(sts.calls()).isLessThanOrEqualTo(3);
        }
    }

    private void webIdentity(Path token, TokenService sts) {
        variables.remove("AWS_ACCESS_KEY_ID");
        variables.put("AWS_WEB_IDENTITY_TOKEN_FILE", token.toString());
        variables.put("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/forebay");
        variables.put("AWS_ENDPOINT_URL_STS", sts.endpoint().toString());
    }

    @Test
    @DisplayName("R9 K2 web identity: one token call for all stores and files of a process")
    void webIdentityOnce() throws Exception {
        var token = Files.writeString(folder.resolve("token"), "jwt");
        try (var sts = new TokenService()) {
            webIdentity(token, sts);
            try (var env = new Environment(variables, folder);
                    var one = S3Store.open(StoreUri.parse("s3://bucket/a"), access(), env);
                    var two = S3Store.open(StoreUri.parse("s3://bucket/b"), access(), env)) {
                for (int i = 0; i < 20; i++) {
                    roundTrip(one);
                    roundTrip(two);
                }
            }
            assertThat(sts.calls()).isEqualTo(1);
            assertThat(authorization()).contains("AKIATOKEN1/");
        }
    }

    @Test
    @DisplayName("R9 a token service that throttles is asked twice, no more")
    void throttled() throws Exception {
        var token = Files.writeString(folder.resolve("token"), "jwt");
        try (var sts = new TokenService()) {
            sts.throttle();
            webIdentity(token, sts);
            variables.put(Identities.THROTTLE_MILLIS, "50");
            use(access(), store -> {
                var e = failure(() -> store.get("key", 10));
                assertThat(e.kind()).as(e.getMessage()).isEqualTo(Kind.TRANSIENT);
                assertThat(e).hasMessageContainingAll("token service", "Throttling", "role/forebay");
            });
            assertThat(sts.calls()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("O7 K2 an anonymous bucket is asked without signature")
    void anonymous() throws Exception {
        use(access(server.endpoint().toString(), null, null, true, null), ReachTest::roundTrip);
        assertThat(server.requests()).noneMatch(r -> r.headers().containsKey("authorization"));
        server.on(r -> true, (r, s) -> Answer.error(403, "AccessDenied"));
        use(
                access(server.endpoint().toString(), null, null, true, null),
                store -> assertThat(failure(() -> store.get("key", 10)))
                        .hasMessageContainingAll("anonymous", "secretName"));
    }

    @Test
    @DisplayName("I2 no credentials at all: said with the ways to give some")
    void none() throws Exception {
        variables.keySet().removeIf(name -> name.startsWith("AWS_") && !name.contains("METADATA"));
        System.setProperty("aws.disableEc2Metadata", "true");
        try {
            use(access(), store -> {
                for (var e :
                        new StoreException[] {failure(() -> store.get("key", 10)), failure(() -> store.stat("key"))}) {
                    assertThat(e.kind()).as(e.getMessage()).isEqualTo(Kind.DENIED);
                    assertThat(e.wholeStore()).isTrue();
                    assertThat(e).hasMessageContainingAll("credentials", "secretName", "anonymous: true");
                }
            });
        } finally {
            System.clearProperty("aws.disableEc2Metadata");
        }
    }

    // ---- endpoints and TLS

    @Test
    @DisplayName("O7 own authority: trusted with caFile, else refused with that setting named")
    void ownAuthority() throws Exception {
        var certificate = TestCertificate.make(folder, "ip:127.0.0.1,dns:localhost");
        try (var secure = ScriptedS3.startTls("bucket", certificate.context().getServerSocketFactory())) {
            use(
                    access(
                            secure.endpoint().toString(),
                            null,
                            null,
                            false,
                            certificate.pem().toString()),
                    ReachTest::roundTrip);
            variables.put("AWS_CA_BUNDLE", certificate.pem().toString());
            use(access(secure.endpoint().toString(), null, null, false, null), ReachTest::roundTrip);
            variables.remove("AWS_CA_BUNDLE");
            use(access(secure.endpoint().toString(), null, null, false, null), store -> {
                for (var e :
                        new StoreException[] {failure(() -> store.get("key", 10)), failure(() -> store.stat("key"))}) {
                    assertThat(e.kind()).as(e.getMessage()).isEqualTo(Kind.PERMANENT);
                    assertThat(e).hasMessageContaining("caFile");
                }
            });
            assertThat(secure.requests()).hasSizeGreaterThan(5);
        }
    }

    @Test
    @DisplayName("O7 a certificate of another name is refused")
    void otherName() throws Exception {
        var certificate = TestCertificate.make(folder, "dns:other.example");
        try (var secure = ScriptedS3.startTls("bucket", certificate.context().getServerSocketFactory())) {
            use(
                    access(
                            secure.endpoint().toString(),
                            null,
                            null,
                            false,
                            certificate.pem().toString()),
                    store -> {
                        assertThat(failure(() -> store.get("key", 10)).kind()).isEqualTo(Kind.PERMANENT);
                        assertThat(failure(() -> store.stat("key")).kind()).isEqualTo(Kind.PERMANENT);
                    });
            assertThat(secure.requests()).isEmpty();
        }
    }

    @Test
    @DisplayName("O7 wrong settings are named when the store is opened")
    void wrongSettings() {
        for (var broken : Map.of(
                        access("minio:9000", null, null, false, null), "minio:9000",
                        access("ftp://minio", null, null, false, null), "ftp://minio",
                        access("http://minio", null, null, false, "/nowhere.pem"), "/nowhere.pem")
                .entrySet()) {
            var e = failure(() -> use(broken.getKey(), store -> {}));
            assertThat(e.kind()).isEqualTo(Kind.PERMANENT);
            assertThat(e.wholeStore()).isTrue();
            assertThat(e).hasMessageContaining(broken.getValue());
        }
    }

    @Test
    @DisplayName("O7 host style and path style, for Amazon and others")
    void styles() throws Exception {
        try (var env = new Environment(variables, folder)) {
            assertThat(url(env, null, "eu-west-3", Optional.empty(), "bucket"))
                    .isEqualTo("https://bucket.s3.eu-west-3.amazonaws.com");
            assertThat(url(env, null, "eu-west-3", Optional.of(true), "bucket"))
                    .isEqualTo("https://s3.eu-west-3.amazonaws.com/bucket");
            assertThat(url(env, null, "eu-west-3", Optional.empty(), "with.dots"))
                    .isEqualTo("https://s3.eu-west-3.amazonaws.com/with.dots");
            assertThat(url(env, "http://minio.lab:9000", null, Optional.empty(), "bucket"))
                    .isEqualTo("http://minio.lab:9000/bucket");
            assertThat(url(env, "https://minio.lab/s3", null, Optional.empty(), "bucket"))
                    .isEqualTo("https://minio.lab/s3/bucket");
            assertThat(url(env, "http://minio.lab:9000", null, Optional.of(false), "bucket"))
                    .isEqualTo("http://bucket.minio.lab:9000");
        }
    }

    private static String url(
            Environment env, String endpoint, String region, Optional<Boolean> pathStyle, String bucket)
            throws Exception {
        var access = new StoreAccess(
                StoreUri.parse("s3://" + bucket),
                endpoint,
                region,
                null,
                null,
                false,
                pathStyle,
                null,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        return SdkClients.bucketUrl(S3Settings.of(StoreUri.parse("s3://" + bucket), access, env))
                .toString();
    }

    @Test
    @DisplayName("O7 an unknown host and a closed port are passing faults that name the endpoint")
    void unreachable() throws Exception {
        server.close();
        use(access(), store -> {
            assertThat(failure(() -> store.get("key", 10)).kind()).isEqualTo(Kind.TRANSIENT);
            assertThat(failure(() -> store.stat("key")).kind()).isEqualTo(Kind.TRANSIENT);
            assertThat(failure(() -> store.get("key", 10)))
                    .hasMessageContaining(server.endpoint().toString());
        });
        use(access("http://no-such-host.invalid:9000", null, null, false, null), store -> {
            var e = failure(() -> store.get("key", 10));
            assertThat(e.kind()).isEqualTo(Kind.TRANSIENT);
            assertThat(e).hasMessageContaining("no-such-host.invalid");
        });
    }

    // ---- proxies

    @Test
    @DisplayName("O7 K7 the environment's proxy carries control and data, in the clear and by tunnel")
    void proxies() throws Exception {
        try (var proxy = new TestProxy()) {
            variables.put("HTTP_PROXY", "http://user:pass@127.0.0.1:" + proxy.port());
            use(access(), ReachTest::roundTrip);
            assertThat(proxy.requestLines())
                    .hasSizeGreaterThanOrEqualTo(3)
                    .allMatch(l -> l.contains("http://127.0.0.1:" + server.port() + "/bucket/key"));
            assertThat(proxy.authorizations()).contains("Basic dXNlcjpwYXNz");
            variables.put("NO_PROXY", "127.0.0.1");
            int before = proxy.requestLines().size();
            use(access(), ReachTest::roundTrip);
            assertThat(proxy.requestLines()).hasSize(before);
        }
        var certificate = TestCertificate.make(folder, "ip:127.0.0.1");
        try (var proxy = new TestProxy();
                var secure = ScriptedS3.startTls("bucket", certificate.context().getServerSocketFactory())) {
            variables.remove("NO_PROXY");
            variables.put("HTTPS_PROXY", "http://127.0.0.1:" + proxy.port());
            use(
                    access(
                            secure.endpoint().toString(),
                            null,
                            null,
                            false,
                            certificate.pem().toString()),
                    ReachTest::roundTrip);
            assertThat(proxy.requestLines())
                    .isNotEmpty()
                    .allMatch(l -> l.startsWith("CONNECT 127.0.0.1:" + secure.port()));
        }
    }

    @Test
    @DisplayName("the SDK's way can be chosen, and nothing else")
    void dataPath() throws Exception {
        variables.put("FOREBAY_S3_DATA_PATH", "sdk");
        use(access(), ReachTest::roundTrip);
        assertThat(server.requests()).allMatch(r -> r.header("user-agent").contains("aws-sdk"));
        variables.put("FOREBAY_S3_DATA_PATH", "quick");
        assertThat(failure(() -> use(access(), store -> {})))
                .hasMessageContainingAll("FOREBAY_S3_DATA_PATH", "quick", "lean or sdk");
    }

    @Test
    @DisplayName("an endpoint may come from the environment alone")
    void endpointOfEnvironment() throws Exception {
        variables.put("AWS_ENDPOINT_URL_S3", server.endpoint().toString());
        use(null, ReachTest::roundTrip);
        assertThat(URI.create(variables.get("AWS_ENDPOINT_URL_S3"))).isEqualTo(server.endpoint());
    }
}
