package io.forebay.operator;

import io.forebay.api.job.JobReader;
import io.forebay.operator.children.CarriedJob;
import java.nio.charset.StandardCharsets;

/** Jobs for the tests of this module. */
public final class Manifests {
    public static final String UID = "3f1c2d4e-0000-4000-8000-000000000001";

    private Manifests() {}

    /** A valid job whose spec has these lines beside inputs, outputs and one step. @param lines of YAML below spec */
    public static CarriedJob job(String... lines) {
        return read("""
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: increment, namespace: science}
                spec:
                  stores:
                  - {uri: 's3://brain', endpoint: 'http://minio:9000', secretName: brain-s3}
                  - {uri: 'file:///data', claimName: shared}
                  inputs: [{name: in, source: 's3://brain/chunks/'}]
                  forEach: {input: in}
                  steps:
                  - name: work
                    image: tools:1
                    command: [cp, $(INPUT), $(OUT)]
                    resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {memory: 2Gi}}
                  outputs: [{name: out, path: '**', to: 'file:///data/out/'}]
                  buffer: {tiers: [{medium: Memory, size: 1Gi}, {medium: Disk, size: 10Gi}]}
                  workers: {max: 4, slots: 3}
                """ + String.join("\n", lines) + "\n");
    }

    public static CarriedJob read(String yaml) {
        return switch (JobReader.read(yaml.getBytes(StandardCharsets.UTF_8))) {
            case JobReader.Valid v ->
                new CarriedJob(v.manifest().metadata().name(), "science", UID, v.job(), v.manifest());
            case JobReader.Invalid i ->
                throw new IllegalArgumentException(i.problems().toString());
        };
    }
}
