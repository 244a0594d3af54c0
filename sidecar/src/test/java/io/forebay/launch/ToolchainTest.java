package io.forebay.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finding and fetching a JDK and Maven, against a server of our own: on a machine that has neither (PATH holds a few tools
 * only), and with answers that lie.
 */
class ToolchainTest {
    private static final List<String> TOOLS = List.of(
            "sh",
            "grep",
            "sed",
            "tr",
            "uname",
            "mkdir",
            "mktemp",
            "rm",
            "mv",
            "tar",
            "gzip",
            "sha256sum",
            "sha512sum",
            "readlink",
            "curl",
            "id",
            "cksum");

    @TempDir
    Path folder;

    private final Map<String, byte[]> served = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private String url;
    private Path bare;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            var path = exchange.getRequestURI().getPath();
            asked.add(exchange.getRequestURI().toString());
            var body = served.get(path);
            exchange.sendResponseHeaders(body == null ? 404 : 200, body == null ? -1 : body.length);
            if (body != null) {
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort();
        bare = Files.createDirectory(folder.resolve("bare"));
        for (var tool : TOOLS) {
            for (var where : List.of("/usr/bin", "/bin")) {
                var program = Path.of(where, tool);
                if (Files.isExecutable(program)) {
                    Files.createSymbolicLink(bare.resolve(tool), program);
                    break;
                }
            }
        }
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void fetchesTheJdkThatAdoptiumNamesAndChecksIt() throws Exception {
        var archive = jdkArchive("25.0.9");
        offerJdk(archive, sha(archive, "SHA-256"));

        var ended = find("find_jdk && echo \"$jdk\"");

        assertThat(ended.exit()).as(ended.err()).isZero();
        var jdk = Path.of(ended.out().strip());
        assertThat(jdk).startsWith(folder.resolve("cache"));
        assertThat(jdk.resolve("bin/java")).isExecutable();
        assertThat(ended.err().lines()).hasSize(1).first().asString().contains("fetching Temurin 25", "--offline");
        assertThat(asked.getFirst())
                .startsWith("/v3/assets/latest/25/hotspot?")
                .contains("os=linux", "image_type=jdk", "vendor=eclipse");
    }

    @Test
    void fetchesNothingTwice() throws Exception {
        var archive = jdkArchive("25.0.9");
        offerJdk(archive, sha(archive, "SHA-256"));
        find("find_jdk");
        asked.clear();

        var again = find("find_jdk && echo \"$jdk\"");

        assertThat(again.exit()).isZero();
        assertThat(again.err()).isEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void throwsAwayAJdkWithAnotherChecksum() throws Exception {
        offerJdk(jdkArchive("25.0.9"), "0".repeat(64));

        var ended = find("find_jdk");

        assertThat(ended.exit()).isEqualTo(75);
        assertThat(ended.err()).contains("/jdk.tar.gz has another checksum than expected", "0".repeat(64));
        assertThat(folder.resolve("cache")).isEmptyDirectory();
    }

    @Test
    void refusesAnArchiveOfAnotherRelease() throws Exception {
        var archive = jdkArchive("24.0.1");
        offerJdk(archive, sha(archive, "SHA-256"));

        var ended = find("find_jdk");

        assertThat(ended.exit()).isEqualTo(70);
        assertThat(ended.err()).contains("is no JDK 25");
        assertThat(folder.resolve("cache")).isEmptyDirectory();
    }

    @Test
    void anAnswerThatNamesNoChecksumIsNoReasonToTrustAnArchive() throws Exception {
        served.put(
                "/v3/assets/latest/25/hotspot",
                "[{\"binary\": {\"package\": {\"link\": \"%s/jdk.tar.gz\"}}}]"
                        .formatted(url)
                        .getBytes(UTF_8));
        served.put("/jdk.tar.gz", jdkArchive("25.0.9"));

        var ended = find("find_jdk");

        assertThat(ended.exit()).isEqualTo(75);
        assertThat(ended.err()).contains("names no archive with a SHA-256");
        assertThat(asked).noneMatch(a -> a.contains("jdk.tar.gz"));
    }

    @Test
    void saysWhichFetchFailed() throws Exception {
        var ended = find("find_jdk");

        assertThat(ended.exit()).isEqualTo(75);
        assertThat(ended.err()).contains("fetching " + url + "/v3/assets/latest/25/hotspot", "failed");
    }

    @Test
    void offlineNamesWhatIsMissingAndAsksNobody() throws Exception {
        var environment = environment();
        environment.put("FOREBAY_OFFLINE", "1");

        var noJdk = find(environment, "find_jdk");
        var noMaven = find(environment, "jdk=/nowhere; find_maven");

        assertThat(noJdk.exit()).isEqualTo(70);
        assertThat(noJdk.err()).contains("no JDK 25 was found", "--offline forbids", "JAVA_HOME");
        assertThat(noMaven.exit()).isEqualTo(70);
        assertThat(noMaven.err()).contains("no Maven was found", "--offline forbids");
        assertThat(asked).isEmpty();
    }

    @Test
    void withoutAProgramToFetchWithItSaysWhichToInstall() throws Exception {
        Files.deleteIfExists(bare.resolve("curl"));

        var ended = find("apt_helper=/nowhere; find_jdk");

        assertThat(ended.exit()).isEqualTo(75);
        assertThat(ended.err()).contains("neither curl nor wget is here", "self-contained archive");
    }

    @Test
    void aJdkAloneIsEnoughToFetchMaven() throws Exception {
        Files.deleteIfExists(bare.resolve("curl"));
        var archive = archive("apache-maven-0/bin/mvn", "#!/bin/sh\n");
        served.put("/org/apache/maven/apache-maven/0/apache-maven-0-bin.tar.gz", archive);

        var ended = find("jdk=%s MAVEN_VERSION=0 MAVEN_SHA512=%s; find_maven && echo \"$mvn\""
                .formatted(Shell.jdk(), sha(archive, "SHA-512")));

        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(Path.of(ended.out().strip())).isExecutable();
    }

    @Test
    void fetchesThePinnedMavenButNotOneThatWasChanged() throws Exception {
        var archive = archive("apache-maven-0/bin/mvn", "#!/bin/sh\n");
        var path = "/org/apache/maven/apache-maven/0/apache-maven-0-bin.tar.gz";
        served.put(path, archive);
        var right = "jdk=/nowhere MAVEN_VERSION=0 MAVEN_SHA512=" + sha(archive, "SHA-512")
                + "; find_maven && echo \"$mvn\"";
        var wrong = "jdk=/nowhere MAVEN_VERSION=0; find_maven";

        var changed = find(wrong);
        var good = find(right);

        assertThat(changed.exit()).isEqualTo(75);
        assertThat(changed.err()).contains("has another checksum than expected");
        assertThat(good.exit()).as(good.err()).isZero();
        assertThat(Path.of(good.out().strip())).isExecutable().startsWith(folder.resolve("cache"));
        assertThat(good.err().lines()).hasSize(1).first().asString().contains("fetching Maven 0 from Maven Central");
    }

    @Test
    void aMavenThatIsTooOldIsNotUsed() throws Exception {
        program("mvn", "echo 'Apache Maven 3.6.3 (abc)'");
        var environment = environment();
        environment.put("FOREBAY_OFFLINE", "1");

        var old = find(environment, "jdk=/nowhere; find_maven");
        program("mvn", "printf '\\033[1mApache Maven 3.10.1 (abc)\\033[m\\n'");
        var newer = find(environment, "jdk=/nowhere; find_maven && echo \"$mvn\"");

        assertThat(old.exit()).isEqualTo(70);
        assertThat(old.err()).contains(bare + "/mvn is older than Maven 3.8");
        assertThat(newer.out().strip()).isEqualTo(bare + "/mvn");
    }

    @Test
    void theJdkThatTheUserNamesIsTheOneUsedOrRefused() throws Exception {
        var jdk = folder.resolve("my jdk");
        fakeJdk(jdk, "25.0.1");
        var environment = environment();
        environment.put("FOREBAY_JAVA_HOME", jdk.toString());
        var good = find(environment, "find_jdk && echo \"$jdk\"");
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.2\"\n");
        var old = find(environment, "find_jdk");

        assertThat(good.out().strip()).isEqualTo(jdk.toString());
        assertThat(old.exit()).isEqualTo(70);
        assertThat(old.err()).contains("FOREBAY_JAVA_HOME=" + jdk + " holds no JDK 25");
    }

    @Test
    void javaHomeAndPathAreSeenAndOtherReleasesPassedOver() throws Exception {
        fakeJdk(folder.resolve("old"), "17.0.2");
        fakeJdk(folder.resolve("jdk"), "25");
        program("java", "exit 1");
        Files.delete(bare.resolve("java"));
        Files.createSymbolicLink(bare.resolve("java"), folder.resolve("jdk/bin/java"));
        var environment = environment();
        environment.put("JAVA_HOME", folder.resolve("old").toString());

        var found = find(environment, "find_jdk && echo \"$jdk\"");

        assertThat(found.out().strip()).isEqualTo(folder.resolve("jdk").toString());
    }

    private Shell.Ended find(String script) throws IOException, InterruptedException {
        return find(environment(), script);
    }

    /** Sources what ./forebay sources, as if the usual folders held no JDK. */
    private static Shell.Ended find(Map<String, String> environment, String script)
            throws IOException, InterruptedException {
        var root = Shell.checkout();
        return Shell.run(
                root,
                environment,
                "sh",
                "-uc",
                "root=$1; . \"$1/tools/state.sh\"; . \"$1/tools/toolchain.sh\"; usual_jdk_folders() { return 1; }\n"
                        + script,
                "sh",
                root.toString());
    }

    private Map<String, String> environment() {
        var environment = new HashMap<String, String>();
        environment.put("PATH", bare.toString());
        environment.put("HOME", folder.resolve("home").toString());
        environment.put("FOREBAY_CACHE", folder.resolve("cache").toString());
        environment.put("FOREBAY_ADOPTIUM_URL", url);
        environment.put("FOREBAY_MAVEN_URL", url);
        environment.put("no_proxy", "127.0.0.1");
        return environment;
    }

    /** As Adoptium answers, with more in it than we read. */
    private void offerJdk(byte[] archive, String sum) {
        var answer = """
                [
                    {
                        "binary": {
                            "architecture": "x64",
                            "image_type": "jdk",
                            "os": "linux",
                            "package": {
                                "checksum": "%s",
                                "checksum_link": "%s/jdk.tar.gz.sha256.txt",
                                "download_count": 1,
                                "link": "%s/jdk.tar.gz",
                                "metadata_link": "%s/jdk.tar.gz.json",
                                "name": "OpenJDK25U-jdk_x64_linux_hotspot_25.0.9_1.tar.gz",
                                "size": 1
                            },
                            "project": "jdk"
                        },
                        "release_link": "%s/release",
                        "version": {"major": 25}
                    }
                ]
                """.formatted(sum, url, url, url, url);
        served.put("/v3/assets/latest/25/hotspot", answer.getBytes(UTF_8));
        served.put("/jdk.tar.gz", archive);
    }

    private byte[] jdkArchive(String version) throws Exception {
        var jdk = folder.resolve("pack/jdk-" + version);
        fakeJdk(jdk, version);
        return pack(jdk.getParent(), jdk.getFileName().toString());
    }

    private byte[] archive(String file, String text) throws Exception {
        var path = folder.resolve("pack").resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        return pack(folder.resolve("pack"), file.substring(0, file.indexOf('/')));
    }

    private byte[] pack(Path in, String name) throws Exception {
        var file = folder.resolve("packed.tar.gz");
        var ended = Shell.run(in, Map.of("PATH", "/usr/bin:/bin"), "tar", "-czf", file.toString(), name);
        assertThat(ended.exit()).as(ended.err()).isZero();
        return Files.readAllBytes(file);
    }

    private void fakeJdk(Path home, String version) throws IOException {
        Files.createDirectories(home.resolve("bin"));
        for (var name : List.of("java", "javac")) {
            var program = Files.writeString(home.resolve("bin").resolve(name), "#!/bin/sh\n");
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    }

    private void program(String name, String script) throws IOException {
        var program = Files.writeString(bare.resolve(name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String sha(byte[] bytes, String algorithm) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
    }
}
