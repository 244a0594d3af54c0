package io.forebay.api.crd;

import io.forebay.api.v1alpha1.PipelineJob;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** The CustomResourceDefinition of PipelineJob, for Kubernetes 1.29 and later (CEL with message expressions and optionals). */
public final class Crd {
    private static final String HEAD = """
            # Generated from the records in io.forebay.api.v1alpha1. To write it anew:
            #   mvn -pl crds test -Dtest=GeneratedFilesTest -Dforebay.write
            """;

    private Crd() {}

    /** The definition as YAML. */
    public static String yaml() {
        var options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setWidth(140);
        options.setSplitLines(false);
        options.setDereferenceAliases(true);
        return HEAD + new Yaml(options).dump(definition());
    }

    private static Map<String, Object> definition() {
        var crd = new LinkedHashMap<String, Object>();
        crd.put("apiVersion", "apiextensions.k8s.io/v1");
        crd.put("kind", "CustomResourceDefinition");
        crd.put("metadata", Map.of("name", PipelineJob.PLURAL + "." + PipelineJob.GROUP));
        var spec = new LinkedHashMap<String, Object>();
        spec.put("group", PipelineJob.GROUP);
        spec.put("scope", "Namespaced");
        var names = new LinkedHashMap<String, Object>();
        names.put("kind", PipelineJob.KIND);
        names.put("listKind", PipelineJob.KIND + "List");
        names.put("plural", PipelineJob.PLURAL);
        names.put("singular", "pipelinejob");
        names.put("shortNames", List.of(PipelineJob.SHORT_NAME));
        spec.put("names", names);
        spec.put("versions", List.of(version()));
        crd.put("spec", spec);
        return crd;
    }

    private static Map<String, Object> version() {
        var version = new LinkedHashMap<String, Object>();
        version.put("name", PipelineJob.VERSION);
        version.put("served", true);
        version.put("storage", true);
        version.put("subresources", Map.of("status", Map.of()));
        version.put("additionalPrinterColumns", columns());
        version.put("schema", Map.of("openAPIV3Schema", Schemas.ofRoot(PipelineJob.class)));
        return version;
    }

    private static List<Map<String, Object>> columns() {
        var columns = new ArrayList<Map<String, Object>>();
        columns.add(column("PHASE", ".status.phase", 0, "Where the job is."));
        columns.add(column("ITEMS", ".status.columns.items", 0, "Items done / total."));
        columns.add(column("STAGED", ".status.columns.staged", 0, "Input bytes in a buffer so far / planned."));
        columns.add(column("FLUSHED", ".status.columns.flushed", 0, "Output bytes published."));
        columns.add(column("WORKERS", ".status.columns.workers", 0, "Workers registered / most."));
        var age = column("AGE", ".metadata.creationTimestamp", 0, "Time since the job was created.");
        age.put("type", "date");
        columns.add(age);
        columns.add(column("IN", ".status.columns.in", 1, "Bytes per second from the stores."));
        columns.add(column("OUT", ".status.columns.out", 1, "Bytes per second to the stores."));
        columns.add(column("RATE", ".status.columns.rate", 1, "Items per minute."));
        columns.add(column("REASON", ".status.reason", 1, "Why the job is in its phase."));
        return columns;
    }

    /** @param priority 0: always shown, 1: with -o wide */
    private static Map<String, Object> column(String name, String path, int priority, String description) {
        var column = new LinkedHashMap<String, Object>();
        column.put("name", name);
        column.put("type", "string");
        column.put("jsonPath", path);
        column.put("description", description);
        if (priority > 0) {
            column.put("priority", priority);
        }
        return column;
    }
}
