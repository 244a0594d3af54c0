package io.forebay.rig;

import io.forebay.testing.S3ProxyServer;
import io.forebay.testing.VersityGw;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;

/** Where a rig's inputs lie and its outputs go: a folder, or a bucket of a real server. Read and written here by other means than ours. */
interface Shelf extends AutoCloseable {
    /** URI of a folder on it. */
    String uri(String folder);

    /** Lines for {@code spec.stores}; empty: none needed. */
    List<String> stores();

    Map<String, String> environment();

    void put(String name, byte[] content) throws IOException;

    /** Everything below the folder but records: relative name to content. */
    Map<String, byte[]> all(String folder) throws IOException;

    /** Temporary names and open uploads of anybody. */
    List<String> leftovers() throws IOException;

    @Override
    void close() throws Exception;

    /** A folder of the machine. */
    record Folder(Path root) implements Shelf {
        @Override
        public String uri(String folder) {
            return "file://" + root.resolve(folder) + "/";
        }

        @Override
        public List<String> stores() {
            return List.of();
        }

        @Override
        public Map<String, String> environment() {
            return Map.of();
        }

        @Override
        public void put(String name, byte[] content) throws IOException {
            var file = root.resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, content);
        }

        @Override
        public Map<String, byte[]> all(String folder) throws IOException {
            var found = new TreeMap<String, byte[]>();
            var top = root.resolve(folder);
            if (!Files.isDirectory(top)) {
                return found;
            }
            try (var walk = Files.walk(top)) {
                for (var path : walk.filter(Files::isRegularFile).toList()) {
                    var name = top.relativize(path).toString();
                    if (!name.startsWith(".forebay/") && !name.contains(".fb-")) {
                        found.put(name, Files.readAllBytes(path));
                    }
                }
            }
            return found;
        }

        @Override
        public List<String> leftovers() throws IOException {
            try (var walk = Files.walk(root)) {
                return walk.map(p -> root.relativize(p).toString())
                        .filter(p -> p.startsWith(".fb-") || p.contains("/.fb-"))
                        .toList();
            }
        }

        @Override
        public void close() {}
    }

    /** A bucket. */
    final class Bucket implements Shelf {
        private static final String NAME = "rig-bucket";

        private final AutoCloseable server;
        private final URI endpoint;
        private final S3Client client;
        private final boolean exclusive;

        private Bucket(AutoCloseable server, URI endpoint, boolean exclusive) {
            this.server = server;
            this.endpoint = endpoint;
            this.exclusive = exclusive;
            this.client = S3Client.builder()
                    .endpointOverride(endpoint)
                    .region(Region.US_EAST_1)
                    .forcePathStyle(true)
                    .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                    .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                    .credentialsProvider(StaticCredentialsProvider.create(
                            AwsBasicCredentials.create(S3ProxyServer.ACCESS_KEY, S3ProxyServer.SECRET_KEY)))
                    .httpClient(UrlConnectionHttpClient.create())
                    .build();
        }

        static Bucket ofS3Proxy(Path folder) throws Exception {
            var server = S3ProxyServer.onDisk(Files.createDirectories(folder), NAME);
            return new Bucket(server, server.endpoint(), true);
        }

        /** Answers 200 to If-None-Match on an existing key (O8). */
        static Bucket ofVersity(Path folder) throws Exception {
            var server = VersityGw.start(Files.createDirectories(folder), NAME);
            return new Bucket(server, server.endpoint(), false);
        }

        /** Whether records can lie on it: exclusive creation works. */
        boolean exclusive() {
            return exclusive;
        }

        @Override
        public String uri(String folder) {
            return "s3://" + NAME + "/" + folder + "/";
        }

        @Override
        public List<String> stores() {
            return List.of(
                    "  stores:", "  - {uri: 's3://" + NAME + "', endpoint: '" + endpoint + "', region: us-east-1}");
        }

        @Override
        public Map<String, String> environment() {
            return Map.of(
                    "AWS_ACCESS_KEY_ID", S3ProxyServer.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY", S3ProxyServer.SECRET_KEY);
        }

        @Override
        public void put(String name, byte[] content) {
            client.putObject(b -> b.bucket(NAME).key(name), RequestBody.fromBytes(content));
        }

        String endpoint() {
            return endpoint.toString();
        }

        void remove(String name) {
            client.deleteObject(b -> b.bucket(NAME).key(name));
        }

        @Override
        public Map<String, byte[]> all(String folder) {
            var found = new TreeMap<String, byte[]>();
            for (var object : client.listObjectsV2Paginator(b -> b.bucket(NAME).prefix(folder + "/"))
                    .contents()) {
                var name = object.key().substring(folder.length() + 1);
                if (!name.startsWith(".forebay/")) {
                    content(object.key()).ifPresent(bytes -> found.put(name, bytes));
                }
            }
            return found;
        }

        /** Objects whose keys start so: key to content. */
        Map<String, byte[]> raw(String prefix) {
            var found = new TreeMap<String, byte[]>();
            for (var object : client.listObjectsV2Paginator(b -> b.bucket(NAME).prefix(prefix))
                    .contents()) {
                content(object.key()).ifPresent(bytes -> found.put(object.key(), bytes));
            }
            return found;
        }

        /**
         * Requests of a process that was killed may reach the server after its death: what was listed may be gone a moment later. It is absent
         * only when no listing names it any more.
         */
        private Optional<byte[]> content(String key) {
            for (int tries = 1; ; tries++) {
                try {
                    return Optional.of(
                            client.getObjectAsBytes(b -> b.bucket(NAME).key(key))
                                    .asByteArray());
                } catch (NoSuchKeyException e) {
                    boolean listed = client.listObjectsV2(b -> b.bucket(NAME).prefix(key)).contents().stream()
                            .anyMatch(o -> o.key().equals(key));
                    if (!listed) {
                        return Optional.empty();
                    }
                    if (tries == 50) {
                        throw e;
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                }
            }
        }

        @Override
        public List<String> leftovers() {
            return client.listMultipartUploads(b -> b.bucket(NAME)).uploads().stream()
                    .map(MultipartUpload::key)
                    .toList();
        }

        @Override
        public void close() throws Exception {
            client.close();
            server.close();
        }
    }

    /** Text of a content, for assertions. */
    static String text(byte[] content) {
        return new String(content, StandardCharsets.ISO_8859_1);
    }
}
