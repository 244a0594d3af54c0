package io.forebay.api.job;

import io.forebay.api.value.Bytes;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A PipelineJob that was found valid: every text parsed, every default filled in. The engine reads nothing else of the
 * manifest.
 *
 * @param name metadata.name
 * @param namespace metadata.namespace, {@code default} where it is absent
 * @param records where plan, intents and completion records lie, a folder; the job's own folder is below it
 * @param manifest the manifest as canonical JSON: what the records keep and {@code resume} compares
 */
public record Job(
        String name,
        String namespace,
        List<StoreAccess> stores,
        List<Input> inputs,
        Optional<ForEach> forEach,
        List<Step> steps,
        List<Output> outputs,
        Buffer buffer,
        Workers workers,
        Locality locality,
        Retry retry,
        OnItemFailure onItemFailure,
        Deadlines deadlines,
        StoreUri records,
        String manifest) {

    public Job {
        stores = List.copyOf(stores);
        inputs = List.copyOf(inputs);
        steps = List.copyOf(steps);
        outputs = List.copyOf(outputs);
    }

    /** How to reach the URIs below {@code uri}; the longest such prefix wins. */
    public record StoreAccess(
            StoreUri uri,
            @Nullable String endpoint,
            @Nullable String region,
            @Nullable String secretName,
            @Nullable String claimName,
            boolean anonymous,
            Optional<Boolean> pathStyle,
            @Nullable String caFile,
            Optional<Bytes> readBandwidth,
            Optional<Bytes> writeBandwidth,
            Optional<Integer> writers) {}

    public record Input(String name, StoreUri source, List<Glob> include, List<Glob> exclude, SymlinkPolicy symlinks) {
        public Input {
            include = List.copyOf(include);
            exclude = List.copyOf(exclude);
        }

        /** Whether a key, relative to the source, is one of this input. */
        public boolean selects(String key) {
            return include.stream().anyMatch(glob -> glob.matches(key))
                    && exclude.stream().noneMatch(glob -> glob.matches(key));
        }

        /**
         * The value of STEM: the last part of {@code key} without the extension that a pattern of {@code include} spells out
         * ({@code *.nii.gz}), the longest if several match; else without its last extension. Never empty: {@code .x} is
         * {@code .x}.
         */
        public String stem(String key) {
            var name = key.substring(key.lastIndexOf('/') + 1);
            int dot = name.lastIndexOf('.');
            var last = dot > 0 ? name.substring(dot) : "";
            var extension = include.stream()
                    .filter(glob -> glob.matches(key))
                    .flatMap(glob -> glob.extensionOf(name).stream())
                    .max(Comparator.comparingInt(String::length))
                    .orElse(last);
            return name.substring(0, name.length() - extension.length());
        }
    }

    /** What a symbolic link among the inputs or outputs means. */
    public enum SymlinkPolicy {
        PRESERVE,
        FOLLOW,
        ERROR
    }

    /** @param groupBy pattern of the path component that makes a group; absent: one item per file */
    public record ForEach(String input, Optional<Glob> groupBy) {}

    public record Step(
            String name,
            @Nullable String image,
            List<Template> command,
            Map<String, Template> env,
            Optional<Bytes> memoryLimit,
            Optional<Bytes> memoryRequest,
            Optional<Long> cpuRequestMillis) {
        public Step {
            command = List.copyOf(command);
            env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
        }
    }

    public record Output(
            String name, Template path, Template to, Publish publish, When when, boolean required, Verify verify) {
        /** Which files below OUT are meant; the values of variables stand for themselves, whatever characters they hold. */
        public Glob pathGlob(Map<String, String> variables) {
            var quoted = new HashMap<String, String>();
            variables.forEach((name, value) -> quoted.put(name, Glob.quote(value)));
            return new Glob(path.expandPath(quoted));
        }

        /**
         * The folder that an item's files are published in, under their path below OUT.
         *
         * @throws IllegalArgumentException if a value brings a {@code ..} in: nothing is published outside
         */
        public StoreUri destination(Map<String, String> variables) {
            var uri = StoreUri.parse(to.expandPath(variables)).resolve("");
            if (("/" + uri.path()).contains("/../")) {
                throw new IllegalArgumentException("'" + uri + "' holds '..', which is not allowed in a destination");
            }
            return uri;
        }

        /** The folder that all items' destinations lie in: what stands before the first variable. */
        public StoreUri fixedDestination() {
            var start = to.literalStart();
            boolean whole = to.variables().isEmpty();
            return StoreUri.parse(whole ? start : start.substring(0, start.lastIndexOf('/') + 1))
                    .resolve("");
        }
    }

    public enum Publish {
        ON_ITEM,
        ON_CLOSE
    }

    public enum When {
        SUCCESS,
        FAILURE,
        ALWAYS;

        /** Whether an item that ended so has this output published. */
        public boolean selects(boolean success) {
            return this == ALWAYS || (this == SUCCESS) == success;
        }
    }

    public enum Verify {
        STORE,
        READ_BACK
    }

    public record Buffer(List<Tier> tiers, Optional<Bytes> itemWork, Optional<Bytes> itemOutputs) {}

    public record Tier(Medium medium, Bytes size, @Nullable String storageClassName) {
        /** What a manifest may ask for at least: the chunks of a few transfers and a small item beside them. */
        public static final Bytes MINIMUM = Bytes.ofMiB(64);
    }

    public enum Medium {
        MEMORY,
        DISK,
        EPHEMERAL
    }

    public record Workers(int max, int min, int slots) {}

    public record Locality(Mode mode, Duration waitTime) {
        public enum Mode {
            NONE,
            PREFERRED,
            REQUIRED
        }
    }

    public record Retry(int item, int worker) {}

    public enum OnItemFailure {
        CONTINUE,
        STOP
    }

    /** @param run absent: no limit */
    public record Deadlines(Optional<Duration> run, Duration drain) {}

    public Input input(String name) {
        return inputs.stream()
                .filter(i -> i.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no input " + name));
    }
}
