package io.forebay.api.job;

import io.forebay.api.manifest.Problems;
import io.forebay.api.manifest.Suggestion;
import io.forebay.api.v1alpha1.BufferSpec;
import io.forebay.api.v1alpha1.DeadlinesSpec;
import io.forebay.api.v1alpha1.ForEachSpec;
import io.forebay.api.v1alpha1.InputSpec;
import io.forebay.api.v1alpha1.Medium;
import io.forebay.api.v1alpha1.PipelineJob;
import io.forebay.api.v1alpha1.PipelineJobSpec;
import io.forebay.api.v1alpha1.ResourcesSpec;
import io.forebay.api.v1alpha1.StoreSpec;
import io.forebay.api.v1alpha1.Texts;
import io.forebay.api.v1alpha1.TierSpec;
import io.forebay.api.v1alpha1.WorkersSpec;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.Durations;
import io.forebay.api.value.Endpoints;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rules between fields, and those of texts that no regular expression can say. Sees manifests with holes: a field that is
 * {@code null} although it is required was told already, and is passed over.
 */
final class SpecRules {
    private final Problems problems;

    private SpecRules(Problems problems) {
        this.problems = problems;
    }

    static void check(PipelineJob job, Problems problems) {
        var rules = new SpecRules(problems);
        rules.header(job);
        if (job.spec() != null) {
            rules.spec(job.spec());
        }
    }

    private void header(PipelineJob job) {
        if (job.apiVersion() != null && !job.apiVersion().equals(PipelineJob.API_VERSION)) {
            unsupported("apiVersion", job.apiVersion(), PipelineJob.API_VERSION);
        }
        if (job.kind() != null && !job.kind().equals(PipelineJob.KIND)) {
            unsupported("kind", job.kind(), PipelineJob.KIND);
        }
    }

    private void unsupported(String field, String value, String known) {
        problems.add(field, value, "Unsupported value: \"" + value + "\": supported values: \"" + known + "\"");
    }

    private void spec(PipelineJobSpec spec) {
        each(spec.stores(), "spec.stores", this::store);
        uniqueStores(spec.stores());
        each(spec.inputs(), "spec.inputs", this::input);
        var inputs = new LinkedHashSet<String>();
        spec.inputs().stream().map(InputSpec::name).filter(Objects::nonNull).forEach(inputs::add);
        if (spec.forEach() != null) {
            forEach(spec.forEach(), inputs);
        }
        var templates = new TemplateRules(spec.forEach() != null, inputs, problems);
        each(spec.steps(), "spec.steps", (step, path) -> {
            templates.check(step, path);
            if (step.resources() != null) {
                resources(step.resources(), path + ".resources");
            }
        });
        each(spec.outputs(), "spec.outputs", templates::check);
        if (spec.buffer() != null) {
            buffer(spec.buffer());
        }
        if (spec.workers() != null) {
            workers(spec.workers());
        }
        if (spec.deadlines() != null) {
            deadlines(spec.deadlines());
        }
        uri(spec.records(), "spec.records");
        if (spec.records() == null
                && spec.outputs().isEmpty()
                && !problems.below("spec.records")
                && !problems.below("spec.outputs")) {
            problems.add("spec.records", "", "Required value: " + Texts.NO_RECORDS);
        }
    }

    private interface Check<T> {
        void check(T value, String path);
    }

    private static <T> void each(List<T> values, String path, Check<T> check) {
        for (int i = 0; i < values.size(); i++) {
            check.check(values.get(i), path + "[" + i + "]");
        }
    }

    private void store(StoreSpec store, String path) {
        var uri = uri(store.uri(), path + ".uri");
        if (uri.isEmpty()) {
            return;
        }
        boolean s3 = uri.get().scheme() == StoreUri.Scheme.S3;
        boolean s3Fields = store.endpoint() != null
                || store.region() != null
                || store.secretName() != null
                || store.anonymous() != null
                || store.pathStyle() != null
                || store.caFile() != null;
        if (!s3 && s3Fields) {
            problems.add(path, store.uri(), Texts.S3_ONLY);
        }
        if (s3 && store.claimName() != null) {
            problems.add(path + ".claimName", store.claimName(), Texts.CLAIM_OF_S3);
        }
        if (store.secretName() != null && Boolean.TRUE.equals(store.anonymous())) {
            problems.add(path + ".anonymous", "true", Texts.ANONYMOUS_WITH_SECRET);
        }
        if (!problems.below(path + ".endpoint")) {
            parsed(Endpoints::parse, store.endpoint(), path + ".endpoint");
        }
        bytes(store.readBandwidth(), path + ".readBandwidth");
        bytes(store.writeBandwidth(), path + ".writeBandwidth");
    }

    /** {@code s3://b} and {@code s3://b/} are one store. */
    private void uniqueStores(List<StoreSpec> stores) {
        var first = new HashMap<String, Integer>();
        for (int i = 0; i < stores.size(); i++) {
            var text = stores.get(i).uri();
            var path = "spec.stores[" + i + "]";
            if (text == null || problems.below(path)) {
                continue;
            }
            var other = first.putIfAbsent(
                    StoreUri.parse(text.endsWith("/") ? text : text + "/").toString(), i);
            if (other != null) {
                problems.add(
                        path,
                        text,
                        "Duplicate value: uri '" + text + "' is that of spec.stores[" + other + "] too; remove one");
            }
        }
    }

    private void input(InputSpec input, String path) {
        uri(input.source(), path + ".source");
        each(input.include(), path + ".include", this::glob);
        each(input.exclude(), path + ".exclude", this::glob);
    }

    private void forEach(ForEachSpec forEach, Set<String> inputs) {
        if (forEach.input() != null && !inputs.contains(forEach.input()) && !problems.below("spec.inputs")) {
            problems.add(
                    "spec.forEach.input",
                    forEach.input(),
                    "'" + forEach.input() + "' " + Texts.NO_SUCH_INPUT + Suggestion.hint(forEach.input(), inputs));
        }
        if (forEach.groupBy() != null) {
            glob(forEach.groupBy(), "spec.forEach.groupBy");
        }
    }

    private void resources(ResourcesSpec resources, String path) {
        quantities(resources.requests(), path + ".requests");
        quantities(resources.limits(), path + ".limits");
        for (var name : List.of("cpu", "memory")) {
            var request = resources.requests().get(name);
            var limit = resources.limits().get(name);
            if (request != null
                    && limit != null
                    && !problems.below(path)
                    && number(name, request) > number(name, limit)) {
                problems.add(
                        path + ".requests[" + name + "]",
                        request,
                        "request " + request + " is above the limit " + limit + "; lower it or raise the limit");
            }
        }
    }

    private static long number(String name, String text) {
        return name.equals("cpu")
                ? CpuQuantity.parseMillis(text)
                : Bytes.parse(text).value();
    }

    private void quantities(Map<String, String> quantities, String path) {
        var known = List.of("cpu", "memory", "ephemeral-storage");
        quantities.forEach((name, text) -> {
            var at = path + "[" + name + "]";
            switch (name) {
                case "cpu" -> parsed(CpuQuantity::parseMillis, text, at);
                case "memory", "ephemeral-storage" -> bytes(text, at);
                default -> {
                    if (name.indexOf('/') < 0 && !name.startsWith("hugepages-")) {
                        problems.add(
                                at,
                                text,
                                "'" + name + "' is no resource; known are " + String.join(", ", known)
                                        + " and devices such as nvidia.com/gpu" + Suggestion.hint(name, known));
                    }
                }
            }
        });
    }

    private void buffer(BufferSpec buffer) {
        each(buffer.tiers(), "spec.buffer.tiers", this::tier);
        var seen = new HashMap<String, Integer>();
        long largest = buffer.tiers().isEmpty() ? JobDefaults.largestTier().value() : 0;
        for (int i = 0; i < buffer.tiers().size(); i++) {
            var tier = buffer.tiers().get(i);
            var kind = tier.medium() + " " + tier.storageClassName();
            var other = tier.medium() == null ? null : seen.putIfAbsent(kind, i);
            if (other != null) {
                problems.add(
                        "spec.buffer.tiers[" + i + "]",
                        kind,
                        "is of the same medium as spec.buffer.tiers[" + other + "]; add its size to that one");
            }
            if (tier.size() != null && !problems.below("spec.buffer.tiers[" + i + "].size")) {
                largest = Math.max(largest, Bytes.parse(tier.size()).value());
            }
        }
        if (buffer.item() == null) {
            return;
        }
        var work = bytes(buffer.item().work(), "spec.buffer.item.work");
        var outputs = bytes(buffer.item().outputs(), "spec.buffer.item.outputs");
        if (!problems.below("spec.buffer")) {
            double need = (double) work.orElse(Bytes.ZERO).value()
                    + outputs.orElse(Bytes.ZERO).value();
            if (need > largest) {
                problems.add(
                        "spec.buffer.item",
                        "",
                        "an item that writes %s fits in no tier: the largest has %s; enlarge a tier, or lower work and outputs"
                                .formatted(
                                        Bytes.of((long) need).human(),
                                        Bytes.of(largest).human()));
            }
        }
    }

    private void tier(TierSpec tier, String path) {
        var size = bytes(tier.size(), path + ".size");
        if (size.isPresent() && size.get().compareTo(Job.Tier.MINIMUM) < 0) {
            problems.add(path + ".size", String.valueOf(tier.size()), "'" + tier.size() + "' " + Texts.TIER_TOO_SMALL);
        }
        if (tier.storageClassName() != null && tier.medium() != null && tier.medium() != Medium.EPHEMERAL) {
            problems.add(path + ".storageClassName", tier.storageClassName(), Texts.STORAGE_CLASS);
        }
    }

    private void workers(WorkersSpec workers) {
        if (workers.min() != null && workers.max() != null && workers.min() > workers.max()) {
            problems.add("spec.workers.min", workers.min().toString(), Texts.MIN_ABOVE_MAX);
        }
    }

    private void deadlines(DeadlinesSpec deadlines) {
        if (deadlines.run() != null
                && deadlines.drain() != null
                && Durations.parse(deadlines.drain()).compareTo(Durations.parse(deadlines.run())) > 0) {
            problems.add("spec.deadlines.drain", deadlines.drain(), Texts.DRAIN_ABOVE_RUN);
        }
    }

    private void glob(String text, String path) {
        parsed(Glob::new, text, path);
    }

    private Optional<Bytes> bytes(@Nullable String text, String path) {
        return parsed(Bytes::parse, text, path);
    }

    private Optional<StoreUri> uri(@Nullable String text, String path) {
        return parsed(StoreUri::parse, text, path);
    }

    private <T> Optional<T> parsed(Function<String, T> parser, @Nullable String text, String path) {
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(parser.apply(text));
        } catch (IllegalArgumentException e) {
            problems.add(path, text, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }
}
