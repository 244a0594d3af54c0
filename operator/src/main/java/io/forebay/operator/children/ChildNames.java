package io.forebay.operator.children;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names of what a PipelineJob owns. They fit DNS-1035 whatever the job's name is (Service names begin with a letter and hold no dots), stay
 * below the 63 characters that a Job's name may have with room for its pods' suffixes, and differ for jobs of one name that
 * lived one after the other, and for runs of one job.
 *
 * @param base what they all begin with
 * @param run few characters for {@code spec.run}
 */
public record ChildNames(String base, String run) {
    private static final int LONGEST_NAME = 40;
    private static final int UID = 8;

    /** @param run spec.run; null: none was ever set */
    public static ChildNames of(String name, String uid, @Nullable String run) {
        var cut = name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) : name;
        var start = uid.length() > UID ? uid.substring(0, UID) : uid;
        return new ChildNames("fb-" + cut.replace('.', '-') + "-" + start, hash(Objects.requireNonNullElse(run, "")));
    }

    public String secret() {
        return base + "-job";
    }

    public String service() {
        return base;
    }

    /** @param generation from 1; a coordinator that was lost has a successor of another name */
    public String coordinator(int generation) {
        return base + "-" + run + "-c" + generation;
    }

    public String workers() {
        return base + "-" + run + "-w";
    }

    private static String hash(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 2);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
