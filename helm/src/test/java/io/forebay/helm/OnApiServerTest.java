package io.forebay.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an API server says to the chart, and what becomes of its objects over a release's life. */
@Tag("slow")
class OnApiServerTest {
    private static final String CRD = "pipelinejobs.forebay.io";
    private static final Path EXAMPLE =
            Chart.FOLDER.resolve("../../examples/increment/job-kubernetes.yaml").normalize();

    @TempDir
    private static Path folder;

    private static ApiServer server;

    @BeforeAll
    static void start() throws Exception {
        Programs.assumed("helm");
        server = ApiServer.assumed(folder);
        for (var namespace : new String[] {"brain", "heart", "other", "restricted"}) {
            server.kubectl("create", "namespace", namespace).good();
        }
        server.kubectl(
                        "label",
                        "namespace",
                        "restricted",
                        "pod-security.kubernetes.io/enforce=restricted",
                        "pod-security.kubernetes.io/warn=restricted")
                .good();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    /** Nothing of an earlier test is left. */
    @BeforeEach
    void clean() {
        server.helm()
                .run("uninstall", "forebay", "--namespace", "restricted", "--ignore-not-found")
                .good();
        server.kubectl("delete", "secret", "forebay-token-key", "--namespace", "restricted", "--ignore-not-found")
                .good();
        server.kubectl("delete", "crd", CRD, "--ignore-not-found").good();
    }

    @ParameterizedTest
    @EnumSource
    void takesEveryObjectWithoutAWarning(ValueSet values) {
        // Whose kind only the Prometheus operator brings.
        var words = Arrays.stream(values.words())
                .map(word -> word.replace("metrics.serviceMonitor.enabled=true,", ""))
                .toArray(String[]::new);

        var said = helm("install", words);

        assertThat(said).doesNotContain("Warning", "warning", "WARNING").contains("STATUS: deployed");
    }

    /** K12, the chart's part. */
    @Test
    void anUpgradeBringsTheCrdAndWhatJobsNeedOutlivesTheRelease() throws IOException {
        var older = olderChart();
        server.helm()
                .run("install", "forebay", older.toString(), "--namespace", "restricted")
                .good();
        var key = key();
        assertThat(columns()).doesNotContain("FLUSHED");
        server.kubectl("create", "--namespace", "brain", "--filename", EXAMPLE.toString())
                .good();

        helm("upgrade");

        assertThat(columns()).contains("FLUSHED");
        assertThat(key()).isEqualTo(key);

        server.helm().run("uninstall", "forebay", "--namespace", "restricted").good();

        assertThat(server.kubectl(
                                "get",
                                "deployment,serviceaccount,role",
                                "--namespace",
                                "restricted",
                                "--output",
                                "name")
                        .good())
                .doesNotContain("forebay");
        assertThat(key()).isEqualTo(key);
        assertThat(jobs()).contains("increment");

        helm("install");

        assertThat(key()).isEqualTo(key);
        assertThat(jobs()).contains("increment");
    }

    @Test
    void aTokenKeyThatHasLostItsEntryIsNotReplacedSilently() {
        server.kubectl(
                        "create",
                        "secret",
                        "generic",
                        "forebay-token-key",
                        "--namespace",
                        "restricted",
                        "--from-literal=other=x")
                .good();

        var refused = server.helm().run("install", "forebay", Chart.FOLDER.toString(), "--namespace", "restricted");

        assertThat(refused.exit()).isNotZero();
        assertThat(refused.output())
                .contains("Secret forebay-token-key in namespace restricted is there, but has no entry 'key'");
    }

    /** K5. */
    @Test
    void theOperatorMayDoWhatItMustInEveryNamespaceAndNoMore() {
        helm("install");

        for (var namespace : new String[] {"brain", "other"}) {
            assertOperatorMay(namespace);
            assertOperatorMayNot(namespace);
        }
        assertThat(may("list", "nodes", "brain")).isTrue();
        assertThat(may("update", "leases.coordination.k8s.io/forebay-operator", "restricted"))
                .isTrue();
        assertThat(may("update", "leases.coordination.k8s.io/another", "restricted"))
                .isFalse();
        assertThat(may("create", "leases.coordination.k8s.io", "brain")).isFalse();
    }

    /** K5, K8. */
    @Test
    void perNamespaceItMayDoNothingOutsideThem() {
        helm("install", ValueSet.TWO_NAMESPACES.words());

        for (var namespace : new String[] {"brain", "heart"}) {
            assertOperatorMay(namespace);
            assertOperatorMayNot(namespace);
        }
        for (var what : new String[] {"pipelinejobs.forebay.io", "jobs.batch", "pods", "events"}) {
            assertThat(may("list", what, "other")).as(what).isFalse();
        }
        assertThat(may("create", "jobs.batch", "other")).isFalse();
        assertThat(may("create", "secrets", "other")).isFalse();
        assertThat(may("list", "nodes", "brain")).isFalse();
    }

    @Test
    void takesTheExampleAndTheJobOfHelmTestAsTheyAre() throws IOException {
        helm("install");
        var test = folder.resolve("test.yaml");
        var rendered = server.helm()
                .run("get", "hooks", "forebay", "--namespace", "restricted")
                .good();
        Files.writeString(test, rendered);

        for (var file : new Path[] {EXAMPLE, test}) {
            var said = server.kubectl(
                            "create",
                            "--dry-run=server",
                            "--validate=strict",
                            "--namespace",
                            "restricted",
                            "--filename",
                            file.toString())
                    .good();
            assertThat(said).contains("pipelinejob.forebay.io/").doesNotContain("Warning");
        }
    }

    private static void assertOperatorMay(String namespace) {
        for (var verb : new String[] {"get", "list", "watch", "delete"}) {
            assertThat(may(verb, "pipelinejobs.forebay.io", namespace)).as(verb).isTrue();
        }
        assertThat(may("patch", "pipelinejobs.forebay.io/status", namespace, "--subresource=status"))
                .isTrue();
        for (var verb : new String[] {"create", "get", "list", "watch", "patch", "delete"}) {
            assertThat(may(verb, "jobs.batch", namespace)).as(verb).isTrue();
        }
        for (var verb : new String[] {"get", "list", "watch"}) {
            assertThat(may(verb, "pods", namespace)).as(verb).isTrue();
        }
        for (var what : new String[] {"secrets", "services", "events"}) {
            assertThat(may("create", what, namespace)).as(what).isTrue();
        }
        assertThat(may("list", "events", namespace)).isTrue();
    }

    private static void assertOperatorMayNot(String namespace) {
        for (var verb : new String[] {"get", "list", "watch", "patch", "update", "delete"}) {
            assertThat(may(verb, "secrets", namespace)).as(verb).isFalse();
        }
        for (var verb : new String[] {"create", "patch", "update", "delete"}) {
            assertThat(may(verb, "pods", namespace)).as(verb).isFalse();
            assertThat(may(verb, "nodes", namespace)).as(verb).isFalse();
        }
        assertThat(may("create", "pods", namespace, "--subresource=exec")).isFalse();
        assertThat(may("get", "pods", namespace, "--subresource=log")).isFalse();
        assertThat(may("get", "configmaps", namespace)).isFalse();
        assertThat(may("create", "pipelinejobs.forebay.io", namespace)).isFalse();
        assertThat(may("patch", "pipelinejobs.forebay.io", namespace)).isFalse();
        assertThat(may("create", "serviceaccounts", namespace, "--subresource=token"))
                .isFalse();
        assertThat(may("create", "rolebindings.rbac.authorization.k8s.io", namespace))
                .isFalse();
    }

    private static boolean may(String verb, String what, String namespace, String... more) {
        var words = new ArrayList<>(List.of("auth", "can-i", verb, what, "--namespace", namespace));
        words.add("--as=system:serviceaccount:restricted:forebay-operator");
        words.addAll(List.of(more));
        var answer = server.kubectl(words.toArray(String[]::new));
        var last = answer.output().strip().lines().reduce((a, b) -> b).orElse("");
        assertThat(last).as(answer.output()).matches("yes|no.*");
        return last.equals("yes");
    }

    private static String helm(String command, String... words) {
        var line = new ArrayList<>(List.of(command, "forebay", Chart.FOLDER.toString(), "--namespace", "restricted"));
        line.addAll(List.of(words));
        return server.helm().run(line.toArray(String[]::new)).good();
    }

    /** The chart before PipelineJobs had the column FLUSHED. */
    private static Path olderChart() throws IOException {
        var copy = Files.createTempDirectory(folder, "older").resolve("forebay");
        try (var files = Files.walk(Chart.FOLDER)) {
            for (var file : files.toList()) {
                Files.copy(file, copy.resolve(Chart.FOLDER.relativize(file).toString()));
            }
        }
        var crd = copy.resolve("files/pipelinejobs.forebay.io-v1.yml");
        var text = Files.readString(crd);
        var column = text.indexOf("    - name: FLUSHED");
        Files.writeString(crd, text.substring(0, column) + text.substring(text.indexOf("    - name:", column + 5)));
        return copy;
    }

    private static String key() {
        return server.kubectl(
                        "get",
                        "secret",
                        "forebay-token-key",
                        "--namespace",
                        "restricted",
                        "--output",
                        "jsonpath={.data.key}")
                .good();
    }

    private static String columns() {
        return server.kubectl(
                        "get", "crd", CRD, "--output", "jsonpath={.spec.versions[0].additionalPrinterColumns[*].name}")
                .good();
    }

    private static String jobs() {
        return server.kubectl("get", "pipelinejobs", "--namespace", "brain", "--output", "name")
                .good();
    }
}
