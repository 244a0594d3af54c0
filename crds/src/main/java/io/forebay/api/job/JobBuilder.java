package io.forebay.api.job;

import io.forebay.api.v1alpha1.BufferSpec;
import io.forebay.api.v1alpha1.DeadlinesSpec;
import io.forebay.api.v1alpha1.InputSpec;
import io.forebay.api.v1alpha1.LocalitySpec;
import io.forebay.api.v1alpha1.OutputSpec;
import io.forebay.api.v1alpha1.PipelineJob;
import io.forebay.api.v1alpha1.PipelineJobSpec;
import io.forebay.api.v1alpha1.RetrySpec;
import io.forebay.api.v1alpha1.StepSpec;
import io.forebay.api.v1alpha1.StoreSpec;
import io.forebay.api.v1alpha1.TierSpec;
import io.forebay.api.v1alpha1.WorkersSpec;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.Durations;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes the typed, defaulted job of a manifest that was found valid. */
final class JobBuilder {
    private JobBuilder() {}

    static Job build(PipelineJob manifest, String canonical) {
        PipelineJobSpec spec = manifest.spec();
        var metadata = manifest.metadata();
        return new Job(
                metadata.name(),
                Objects.requireNonNullElse(metadata.namespace(), JobDefaults.NAMESPACE),
                spec.stores().stream().map(JobBuilder::store).toList(),
                spec.inputs().stream().map(JobBuilder::input).toList(),
                Optional.ofNullable(spec.forEach())
                        .map(f -> new Job.ForEach(
                                f.input(), Optional.ofNullable(f.groupBy()).map(Glob::new))),
                spec.steps().stream().map(JobBuilder::step).toList(),
                spec.outputs().stream().map(JobBuilder::output).toList(),
                buffer(spec.buffer()),
                workers(spec.workers()),
                locality(spec.locality()),
                retry(spec.retry()),
                spec.onItemFailure() == null
                        ? Job.OnItemFailure.CONTINUE
                        : switch (spec.onItemFailure()) {
                            case CONTINUE -> Job.OnItemFailure.CONTINUE;
                            case STOP -> Job.OnItemFailure.STOP;
                        },
                deadlines(spec.deadlines()),
                spec.records() == null
                        ? output(spec.outputs().getFirst()).fixedDestination().resolve(JobDefaults.RECORDS_FOLDER)
                        : StoreUri.parse(spec.records()).resolve(""),
                canonical);
    }

    private static Job.StoreAccess store(StoreSpec store) {
        return new Job.StoreAccess(
                StoreUri.parse(store.uri()),
                store.endpoint(),
                store.region(),
                store.secretName(),
                store.claimName(),
                Boolean.TRUE.equals(store.anonymous()),
                Optional.ofNullable(store.pathStyle()),
                store.caFile(),
                bytes(store.readBandwidth()),
                bytes(store.writeBandwidth()),
                Optional.ofNullable(store.writers()));
    }

    private static Job.Input input(InputSpec input) {
        return new Job.Input(
                input.name(),
                StoreUri.parse(input.source()),
                input.include().isEmpty()
                        ? List.of(JobDefaults.INCLUDE)
                        : input.include().stream().map(Glob::new).toList(),
                input.exclude().stream().map(Glob::new).toList(),
                input.symlinks() == null
                        ? JobDefaults.SYMLINKS
                        : switch (input.symlinks()) {
                            case PRESERVE -> Job.SymlinkPolicy.PRESERVE;
                            case FOLLOW -> Job.SymlinkPolicy.FOLLOW;
                            case ERROR -> Job.SymlinkPolicy.ERROR;
                        });
    }

    private static Job.Step step(StepSpec step) {
        var env = new LinkedHashMap<String, Template>();
        step.env().forEach(e -> env.put(e.name(), new Template(Objects.requireNonNullElse(e.value(), ""))));
        Map<String, String> requests =
                step.resources() == null ? Map.of() : step.resources().requests();
        Map<String, String> limits =
                step.resources() == null ? Map.of() : step.resources().limits();
        var memoryLimit = bytes(limits.get("memory"));
        return new Job.Step(
                step.name(),
                step.image(),
                step.command().stream().map(Template::new).toList(),
                env,
                memoryLimit,
                bytes(requests.get("memory")).or(() -> memoryLimit),
                Optional.ofNullable(requests.get("cpu"))
                        .or(() -> Optional.ofNullable(limits.get("cpu")))
                        .map(CpuQuantity::parseMillis));
    }

    private static Job.Output output(OutputSpec output) {
        return new Job.Output(
                output.name(),
                new Template(Objects.requireNonNullElse(output.path(), JobDefaults.OUTPUT_PATH)),
                new Template(output.to()),
                output.publish() == null
                        ? Job.Publish.ON_ITEM
                        : switch (output.publish()) {
                            case ON_ITEM -> Job.Publish.ON_ITEM;
                            case ON_CLOSE -> Job.Publish.ON_CLOSE;
                        },
                output.when() == null
                        ? Job.When.SUCCESS
                        : switch (output.when()) {
                            case SUCCESS -> Job.When.SUCCESS;
                            case FAILURE -> Job.When.FAILURE;
                            case ALWAYS -> Job.When.ALWAYS;
                        },
                !Boolean.FALSE.equals(output.required()),
                output.verify() == null
                        ? Job.Verify.STORE
                        : switch (output.verify()) {
                            case STORE -> Job.Verify.STORE;
                            case READ_BACK -> Job.Verify.READ_BACK;
                        });
    }

    private static Job.Buffer buffer(@Nullable BufferSpec buffer) {
        if (buffer == null) {
            return new Job.Buffer(JobDefaults.TIERS, Optional.empty(), Optional.empty());
        }
        var item = buffer.item();
        return new Job.Buffer(
                buffer.tiers().isEmpty()
                        ? JobDefaults.TIERS
                        : buffer.tiers().stream().map(JobBuilder::tier).toList(),
                item == null ? Optional.empty() : bytes(item.work()),
                item == null ? Optional.empty() : bytes(item.outputs()));
    }

    private static Job.Tier tier(TierSpec tier) {
        var medium = switch (tier.medium()) {
            case MEMORY -> Job.Medium.MEMORY;
            case DISK -> Job.Medium.DISK;
            case EPHEMERAL -> Job.Medium.EPHEMERAL;
        };
        return new Job.Tier(medium, Bytes.parse(tier.size()), tier.storageClassName());
    }

    private static Job.Workers workers(@Nullable WorkersSpec workers) {
        if (workers == null) {
            return new Job.Workers(JobDefaults.WORKERS, JobDefaults.WORKERS, JobDefaults.SLOTS);
        }
        int min = Objects.requireNonNullElse(workers.min(), JobDefaults.WORKERS);
        return new Job.Workers(
                Objects.requireNonNullElse(workers.max(), min),
                min,
                Objects.requireNonNullElse(workers.slots(), JobDefaults.SLOTS));
    }

    private static Job.Locality locality(@Nullable LocalitySpec locality) {
        if (locality == null) {
            return new Job.Locality(Job.Locality.Mode.PREFERRED, JobDefaults.LOCALITY_WAIT);
        }
        return new Job.Locality(
                locality.mode() == null
                        ? Job.Locality.Mode.PREFERRED
                        : switch (locality.mode()) {
                            case NONE -> Job.Locality.Mode.NONE;
                            case PREFERRED -> Job.Locality.Mode.PREFERRED;
                            case REQUIRED -> Job.Locality.Mode.REQUIRED;
                        },
                locality.waitSeconds() == null
                        ? JobDefaults.LOCALITY_WAIT
                        : Duration.ofSeconds(locality.waitSeconds()));
    }

    private static Job.Retry retry(@Nullable RetrySpec retry) {
        if (retry == null) {
            return new Job.Retry(JobDefaults.ITEM_RETRIES, JobDefaults.WORKER_RETRIES);
        }
        return new Job.Retry(
                Objects.requireNonNullElse(retry.item(), JobDefaults.ITEM_RETRIES),
                Objects.requireNonNullElse(retry.worker(), JobDefaults.WORKER_RETRIES));
    }

    private static Job.Deadlines deadlines(@Nullable DeadlinesSpec deadlines) {
        if (deadlines == null) {
            return new Job.Deadlines(Optional.empty(), JobDefaults.DRAIN);
        }
        var run = Optional.ofNullable(deadlines.run()).map(Durations::parse);
        var drain = Optional.ofNullable(deadlines.drain())
                .map(Durations::parse)
                .orElseGet(() ->
                        run.filter(r -> r.compareTo(JobDefaults.DRAIN) < 0).orElse(JobDefaults.DRAIN));
        return new Job.Deadlines(run, drain);
    }

    private static Optional<Bytes> bytes(@Nullable String text) {
        return Optional.ofNullable(text).map(Bytes::parse);
    }
}
