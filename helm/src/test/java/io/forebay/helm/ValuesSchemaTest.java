package io.forebay.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A value that is not meant is refused before anything is installed, by its name. */
class ValuesSchemaTest {
    @TempDir
    private Path home;

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            operator.replica=2                     | operator                  | replica
            oprator.replicas=2                     |                           | oprator
            operator.replicas=two                  | operator/replicas         | integer
            operator.replicas=-1                   | operator/replicas         | minimum
            namespaces=brain                       | namespaces                | array
            namespaces[0]=Brain                    | namespaces/0              | pattern
            namespaces[0]=a,namespaces[1]=a        | namespaces                | equal
            image.pullPolicy=Sometimes             | image/pullPolicy          | Always
            image.pullSecrets=lab                  | image/pullSecrets         | array
            operator.image.tag=a:b                 | operator/image/tag        | pattern
            operator.image.repository=             | operator/image/repository | pattern
            sidecar.image.digest=sha256:1          | sidecar/image/digest      | pattern
            sidecar.pullPolicy=Always              | sidecar                   | pullPolicy
            limits.memoryTier=64 GB                | limits/memoryTier         | pattern
            limits.memoryTier=64GB                 | limits/memoryTier         | pattern
            limits.diskTier=-1Gi                   | limits/diskTier           | pattern
            limits.workerGraceSeconds=2m           | limits/workerGraceSeconds | integer
            crd.install=maybe                      | crd/install               | boolean
            crds.install=false                     |                           | crds
            serviceAccount.create=1                | serviceAccount/create     | boolean
            networkPolicy.apiServerPorts[0]=https  | networkPolicy/apiServerPorts/0 | integer
            networkPolicy.jobs.egress.to=x         | networkPolicy/jobs/egress | array
            metrics.serviceMonitor.interval=often  | metrics/serviceMonitor/interval | pattern
            operator.extraEnv[0].value=x           | operator/extraEnv/0       | name
            operator.podLabels.a=1                 | operator/podLabels/a      | string
            """)
    void refuses(String value, String where, String why) {
        var helm = Helm.assumed(home);

        var words = Chart.refusal(helm, "--set", value);

        assertThat(words).contains("values don't meet the specifications of the schema");
        assertThat(words.lines()
                        .filter(line -> line.startsWith("- at '/" + (where == null ? "" : where) + "'")
                                || where == null && line.startsWith("- at ''")))
                .as(words)
                .anySatisfy(line -> assertThat(line).contains(why));
    }

    /** Both ways, so that neither a default nor a rule is forgotten. */
    @Test
    void theSchemaAndTheDefaultsNameTheSameValues() throws JsonProcessingException {
        var schema = new ObjectMapper().readTree(Chart.text("values.schema.json"));
        var values = Chart.documents(Chart.text("values.yaml")).getFirst();

        var inSchema = new ArrayList<String>();
        paths(schema, schema, "", inSchema);
        inSchema.remove("global");
        var inValues = new ArrayList<String>();
        for (var path : inSchema) {
            if (!values.at("/" + path.replace('.', '/')).isMissingNode()) {
                inValues.add(path);
            }
        }

        assertThat(inValues).as("every value of the schema has a default").isEqualTo(inSchema);
        assertThat(objectsThatAreOpen(schema, "")).isEmpty();
    }

    /** Objects with named fields must refuse others. */
    private static List<String> objectsThatAreOpen(JsonNode node, String path) {
        var open = new ArrayList<String>();
        if (node.has("properties")
                && !path.endsWith("properties")
                && node.path("additionalProperties").asBoolean(true)) {
            open.add(path);
        }
        node.properties().forEach(e -> open.addAll(objectsThatAreOpen(e.getValue(), path + "/" + e.getKey())));
        return open;
    }

    private static void paths(JsonNode schema, JsonNode node, String prefix, List<String> into) {
        for (var entry : node.path("properties").properties()) {
            var path = prefix + entry.getKey();
            var value = entry.getValue().has("$ref")
                    ? schema.at(entry.getValue().path("$ref").asText().substring(1))
                    : entry.getValue();
            into.add(path);
            paths(schema, value, path + ".", into);
        }
    }
}
