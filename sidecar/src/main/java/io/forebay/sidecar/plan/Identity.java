package io.forebay.sidecar.plan;

import io.forebay.api.job.Job;
import io.forebay.api.job.Template;
import io.forebay.sidecar.spool.Hash128;
import io.forebay.sidecar.store.Version;
import java.util.TreeMap;

/**
 * What makes an item the same item in another run: its key, the versions of its inputs, steps (image, command, env) and output
 * rules. Buffer, workers, retries, deadlines, locality and resources are not part of it. Not thread-safe.
 */
public final class Identity {
    private final Hash128 hash = new Hash128();
    private final String rules;

    /** @param shared hash of the inputs that all items share */
    public Identity(Job job, String shared) {
        hash.reset().add("forebay item 1");
        for (var step : job.steps()) {
            hash.add(step.name()).add(step.image() == null ? "" : step.image());
            hash.add(step.command().size());
            step.command().forEach(word -> hash.add(word.text()));
            hash.add(step.env().size());
            new TreeMap<String, Template>(step.env())
                    .forEach((name, value) -> hash.add(name).add(value.text()));
        }
        for (var output : job.outputs()) {
            hash.add(output.name()).add(output.path().text()).add(output.to().text());
            hash.add(output.publish().name()).add(output.when().name()).add(output.required() ? 1 : 0);
        }
        rules = hash.add(shared).done().hex();
    }

    /** @param inputs what identifies each of its inputs, in order: {@link PlannedFile#strict()} or {@code loose()} */
    public String of(String key, Iterable<String> inputs) {
        hash.reset().add(rules).add(key);
        for (var input : inputs) {
            hash.add(input);
        }
        return hash.done().hex();
    }

    public static String ofText(String text) {
        return new Hash128().add(text).done().hex();
    }

    /**
     * The pin without the device number, which differs from mount to mount.
     *
     * @param strict with inode and change time; false: where only those differ checksums decide
     */
    public static String pin(Version version, boolean strict) {
        return switch (version) {
            case Version.S3 s3 -> s3.pin();
            case Version.Posix px ->
                "px:" + px.size() + ":" + px.mtimeNanos() + ":" + px.lustreDataVersion()
                        + (strict ? ":" + px.inode() + ":" + px.ctimeNanos() : "");
        };
    }
}
