package io.forebay.sidecar.coordinator;

import io.forebay.api.job.Job;
import io.forebay.api.job.Template;
import io.forebay.api.name.NameBytes;
import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.store.Version;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;

/**
 * What makes an item the same item in another run: its key, the versions of its inputs, steps (image, command, env) and output
 * rules. Buffer, workers, retries, deadlines, locality and resources are not part of it. Hashes are the first 128 bits of
 * SHA-256, as hexadecimal.
 */
final class Identity {
    private static final int HASH_BYTES = 16;
    private final byte[] rules;

    /** @param shared the inputs that all items share */
    Identity(Job job, List<ItemInput> shared, boolean strict) {
        var digest = sha256();
        text(digest, "forebay item 1");
        for (var step : job.steps()) {
            text(digest, step.name());
            text(digest, step.image() == null ? "" : step.image());
            number(digest, step.command().size());
            step.command().forEach(word -> text(digest, word.text()));
            number(digest, step.env().size());
            new TreeMap<String, Template>(step.env()).forEach((name, value) -> {
                text(digest, name);
                text(digest, value.text());
            });
        }
        for (var output : job.outputs()) {
            text(digest, output.name());
            text(digest, output.path().text());
            text(digest, output.to().text());
            text(digest, output.publish().name());
            text(digest, output.when().name());
            text(digest, String.valueOf(output.required()));
        }
        inputs(digest, shared, strict);
        rules = digest.digest();
    }

    String of(String key, List<ItemInput> inputs, boolean strict) {
        var digest = sha256();
        digest.update(rules);
        text(digest, key);
        inputs(digest, inputs, strict);
        return HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
    }

    static String ofText(String text) {
        var digest = sha256();
        text(digest, text);
        return HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
    }

    private static void inputs(MessageDigest digest, List<ItemInput> inputs, boolean strict) {
        number(digest, inputs.size());
        for (var input : inputs) {
            text(digest, input.input());
            text(digest, input.relative());
            text(digest, input.link() == null ? "" : input.link());
            text(digest, pin(input, strict));
        }
    }

    /** The device number is left out: it differs from mount to mount. */
    private static String pin(ItemInput input, boolean strict) {
        return switch (Version.parse("", input.pin())) {
            case Version.S3 s3 -> s3.pin();
            case Version.Posix px -> "px:" + px.size() + ":" + px.mtimeNanos() + ":" + px.lustreDataVersion()
                    + (strict ? ":" + px.inode() + ":" + px.ctimeNanos() : "");
        };
    }

    /** With its length before it, so that no two lists of texts look the same. */
    private static void text(MessageDigest digest, String text) {
        var bytes = NameBytes.isUtf8(text) ? text.getBytes(StandardCharsets.UTF_8) : NameBytes.encode(text);
        number(digest, bytes.length);
        digest.update(bytes);
    }

    private static void number(MessageDigest digest, int n) {
        digest.update(new byte[] {(byte) (n >>> 24), (byte) (n >>> 16), (byte) (n >>> 8), (byte) n});
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
