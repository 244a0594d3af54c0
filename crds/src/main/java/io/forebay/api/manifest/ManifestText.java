package io.forebay.api.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A manifest's text: one YAML or JSON document in UTF-8. Refused are: more than 1 MiB, several documents, the same key twice,
 * tags, and aliases that make it larger than {@value #MAX_NODES} values. YAML is read as kubectl reads it: {@code yes} and
 * {@code on} are truth values, numbers need quotes where a text is wanted.
 */
public final class ManifestText {
    /** Below what etcd takes (1.5 MiB): what is larger can never be applied. */
    public static final int MAX_BYTES = 1 << 20;

    static final int MAX_NODES = 100_000;
    static final int MAX_DEPTH = 64;

    private final Node.Obj root;

    private ManifestText(Node.Obj root) {
        this.root = root;
    }

    /** Reads the text; faults go to {@code problems}. Empty: nothing can be made of it. */
    public static Optional<ManifestText> parse(byte[] bytes, Problems problems) {
        var text = decode(bytes, problems);
        if (text == null) {
            return Optional.empty();
        }
        var node =
                text.stripLeading().startsWith("{") ? JsonText.parse(text, problems) : YamlText.parse(text, problems);
        if (node == null) {
            return Optional.empty();
        }
        if (!(node instanceof Node.Obj root)) {
            problems.add(
                    "",
                    node.shown(),
                    "the manifest is no object; start with apiVersion: forebay.io/v1alpha1",
                    node.line());
            return Optional.empty();
        }
        return Optional.of(new ManifestText(root));
    }

    private static @Nullable String decode(byte[] bytes, Problems problems) {
        if (bytes.length > MAX_BYTES) {
            problems.add(
                    "", "", "the manifest has %d bytes; at most %d are allowed".formatted(bytes.length, MAX_BYTES));
            return null;
        }
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(bytes.length);
        var result = StandardCharsets.UTF_8.newDecoder().decode(in, out, true);
        if (result.isError()) {
            problems.add(
                    "",
                    "",
                    "the manifest is not UTF-8: byte %d is 0x%02X; save it as UTF-8"
                            .formatted(in.position() + 1, in.get(in.position()) & 0xFF));
            return null;
        }
        var text = out.flip().toString();
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /**
     * The record that the text describes, with {@code null} wherever the text has nothing or nothing usable: use it for further
     * checks, and as a whole only if {@code problems} is empty.
     */
    public <R extends Record> R bind(Class<R> type, Problems problems) {
        return new RecordBinder(problems).bind(root, type);
    }

    /** The same with each text, given its path, replaced by what the function answers. */
    public ManifestText mapTexts(BinaryOperator<String> function) {
        return new ManifestText((Node.Obj) map(root, "", function));
    }

    private static Node map(Node node, String path, BinaryOperator<String> function) {
        return switch (node) {
            case Node.Text text -> new Node.Text(function.apply(path, text.value()), text.line());
            case Node.Seq seq -> {
                var entries = new ArrayList<Node>();
                for (int i = 0; i < seq.entries().size(); i++) {
                    entries.add(map(seq.entries().get(i), NodeBuilder.below(path, i), function));
                }
                yield new Node.Seq(entries, seq.line());
            }
            case Node.Obj object -> {
                var fields = new LinkedHashMap<String, Node>();
                object.fields()
                        .forEach((key, value) -> fields.put(key, map(value, NodeBuilder.below(path, key), function)));
                yield new Node.Obj(fields, object.line());
            }
            case Node.Num _, Node.Bool _, Node.Null _, Node.Bad _ -> node;
        };
    }

    /** All of it, also what no record knows. */
    public JsonNode toJson() {
        return root.toJson();
    }
}
