package io.forebay.api.manifest;

import java.util.LinkedHashMap;
import java.util.List;

/** What reading YAML and JSON has in common: paths, limits, keys given twice. */
final class NodeBuilder {
    /** The text asks for more than we read; what was found so far stands. */
    static final class TooMuch extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooMuch(String message) {
            super(message);
        }
    }

    final Problems problems;
    private int nodes;

    NodeBuilder(Problems problems) {
        this.problems = problems;
    }

    /** Counts one value. */
    void count(int depth) {
        if (++nodes > ManifestText.MAX_NODES) {
            throw new TooMuch("the manifest holds more than %d values; are there aliases of aliases?"
                    .formatted(ManifestText.MAX_NODES));
        }
        if (depth > ManifestText.MAX_DEPTH) {
            throw new TooMuch("the manifest is nested more than %d deep".formatted(ManifestText.MAX_DEPTH));
        }
    }

    static String below(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    static String below(String path, int index) {
        return path + "[" + index + "]";
    }

    /** The path of an entry of a map, as the API server writes it. */
    static String entry(String path, String key) {
        return path + "[" + key + "]";
    }

    /** Puts the field, unless it is there: then the first one stays and the second is told. */
    void put(LinkedHashMap<String, Node> fields, String path, String key, Node value, int line) {
        var first = fields.putIfAbsent(key, value);
        if (first != null) {
            problems.add(
                    below(path, key),
                    value.shown(),
                    "given twice" + (first.line() > 0 && first.line() != line ? ", first in line " + first.line() : "")
                            + "; remove one",
                    line);
        }
    }

    /** A number as written, unless its form is none of JSON's: that is told. */
    Node number(String text, String path, int line) {
        if (text.length() > 100 || !text.matches("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]{1,3})?")) {
            problems.add(
                    path,
                    text,
                    "'" + text + "' is no plain decimal number; write it so, or in quotes if it is a text",
                    line);
            return new Node.Bad(text, line);
        }
        return new Node.Num(text, line);
    }

    /** All values, for copies of an aliased one: they count again. */
    void countCopy(Node node, int depth) {
        count(depth);
        List<Node> below = switch (node) {
            case Node.Seq seq -> seq.entries();
            case Node.Obj obj -> List.copyOf(obj.fields().values());
            case Node.Text _, Node.Num _, Node.Bool _, Node.Null _, Node.Bad _ -> List.of();
        };
        for (var child : below) {
            countCopy(child, depth + 1);
        }
    }
}
