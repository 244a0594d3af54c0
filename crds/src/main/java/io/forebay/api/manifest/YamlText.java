package io.forebay.api.manifest;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.DocumentEndEvent;
import org.yaml.snakeyaml.events.DocumentStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingEndEvent;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceEndEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.events.StreamEndEvent;

/** Reads YAML from the parser's events: nothing is resolved or constructed but what is written here. */
final class YamlText {
    private static final Set<String> TRUE =
            Set.of("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y");
    private static final Set<String> FALSE =
            Set.of("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N");
    private static final Set<String> NULL = Set.of("", "~", "null", "Null", "NULL");

    /** What kubectl's YAML 1.1 reads as a number. */
    private static final Pattern NUMBER = Pattern.compile(
            "[-+]?(0x[0-9a-fA-F_]+|0o?[0-7_]+|0b[01_]+|([0-9][0-9_]*([.][0-9_]*)?|[.][0-9][0-9_]*)([eE][-+]?[0-9]+)?|[.](inf|Inf|INF))|[.](nan|NaN|NAN)");

    private final Iterator<Event> events;
    private final NodeBuilder build;
    private final Map<String, Node> anchors = new HashMap<>();

    private YamlText(Iterator<Event> events, NodeBuilder build) {
        this.events = events;
        this.build = build;
    }

    /** {@code null}: not YAML, or nothing in it; told. */
    static @Nullable Node parse(String text, Problems problems) {
        var options = new LoaderOptions();
        options.setCodePointLimit(ManifestText.MAX_BYTES);
        options.setNestingDepthLimit(ManifestText.MAX_DEPTH + 1);
        try {
            var events = new Yaml(options).parse(new StringReader(text)).iterator();
            return new YamlText(events, new NodeBuilder(problems)).stream();
        } catch (NodeBuilder.TooMuch e) {
            problems.add("", "", String.valueOf(e.getMessage()));
        } catch (MarkedYAMLException e) {
            var mark = e.getProblemMark();
            var what = e.getContext() == null ? e.getProblem() : e.getContext() + ", " + e.getProblem();
            problems.add(
                    "",
                    "",
                    mark == null
                            ? "the manifest is no YAML: " + what
                            : "the manifest is no YAML: %s, at column %d".formatted(what, mark.getColumn() + 1),
                    mark == null ? 0 : mark.getLine() + 1);
        } catch (YAMLException e) {
            problems.add(
                    "",
                    "",
                    "the manifest is no YAML: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
        return null;
    }

    private @Nullable Node stream() {
        Node first = null;
        int documents = 0;
        while (true) {
            var event = events.next();
            if (event instanceof StreamEndEvent) {
                break;
            }
            if (!(event instanceof DocumentStartEvent)) {
                continue;
            }
            anchors.clear();
            var start = events.next();
            if (documents > 0 && !(start instanceof ScalarEvent scalar && isNull(scalar))) {
                build.problems.add(
                        "",
                        "",
                        "the manifest holds several documents; leave one, or split it at the line ---",
                        event.getStartMark().getLine() + 1);
                return first;
            }
            var node = node(start, "", 0);
            if (!(node instanceof Node.Null)) {
                first = node;
                documents++;
            }
            while (!(events.next() instanceof DocumentEndEvent)) {
                throw new IllegalStateException("document goes on");
            }
        }
        if (first == null) {
            build.problems.add("", "", "the manifest is empty; start with apiVersion: forebay.io/v1alpha1", 1);
        }
        return first;
    }

    private static boolean isNull(ScalarEvent scalar) {
        return scalar.isPlain() && NULL.contains(scalar.getValue());
    }

    private Node node(Event event, String path, int depth) {
        int line = event.getStartMark().getLine() + 1;
        build.problems.at(path, line);
        if (event instanceof AliasEvent alias) {
            var node = anchors.get(alias.getAnchor());
            if (node == null) {
                build.problems.add(
                        path,
                        "*" + alias.getAnchor(),
                        "alias *" + alias.getAnchor() + " has no complete anchor before it",
                        line);
                return new Node.Bad("*" + alias.getAnchor(), line);
            }
            build.countCopy(node, depth);
            return node;
        }
        build.count(depth);
        var node = switch (event) {
            case ScalarEvent scalar -> scalar(scalar, path, line);
            case SequenceStartEvent start -> {
                checkTag(start.getTag(), path, line);
                var entries = new ArrayList<Node>();
                for (var next = events.next(); !(next instanceof SequenceEndEvent); next = events.next()) {
                    entries.add(node(next, NodeBuilder.below(path, entries.size()), depth + 1));
                }
                yield new Node.Seq(entries, line);
            }
            case MappingStartEvent start -> {
                checkTag(start.getTag(), path, line);
                yield mapping(path, depth, line);
            }
            default -> throw new IllegalStateException("unexpected " + event);
        };
        if (((NodeEvent) event).getAnchor() != null) {
            anchors.put(((NodeEvent) event).getAnchor(), node);
        }
        return node;
    }

    private Node mapping(String path, int depth, int line) {
        var fields = new LinkedHashMap<String, Node>();
        var merged = new ArrayList<Node.Obj>();
        for (var next = events.next(); !(next instanceof MappingEndEvent); next = events.next()) {
            int keyLine = next.getStartMark().getLine() + 1;
            if (!(next instanceof ScalarEvent key)) {
                build.problems.add(path, "", "a key is no text; write it in quotes", keyLine);
                node(next, path, depth + 1);
                node(events.next(), path, depth + 1);
                continue;
            }
            if (key.isPlain() && key.getValue().equals("<<")) {
                merge(node(events.next(), NodeBuilder.below(path, "<<"), depth + 1), path, keyLine, merged);
                continue;
            }
            var at = NodeBuilder.below(path, key.getValue());
            build.put(fields, path, key.getValue(), node(events.next(), at, depth + 1), keyLine);
        }
        for (var other : merged) {
            other.fields().forEach(fields::putIfAbsent);
        }
        return new Node.Obj(fields, line);
    }

    /** YAML 1.1 merge keys: kubectl knows them. */
    private void merge(Node value, String path, int line, List<Node.Obj> merged) {
        var sources = value instanceof Node.Seq seq ? seq.entries() : List.of(value);
        for (var source : sources) {
            if (source instanceof Node.Obj obj) {
                merged.add(obj);
            } else {
                build.problems.add(NodeBuilder.below(path, "<<"), source.shown(), "'<<' merges objects only", line);
            }
        }
    }

    private Node scalar(ScalarEvent event, String path, int line) {
        checkTag(event.getTag(), path, line);
        var text = event.getValue();
        if (event.getScalarStyle() != DumperOptions.ScalarStyle.PLAIN
                || "tag:yaml.org,2002:str".equals(event.getTag())) {
            return new Node.Text(text, line);
        }
        if (NULL.contains(text)) {
            return new Node.Null(line);
        }
        if (TRUE.contains(text) || FALSE.contains(text)) {
            return new Node.Bool(TRUE.contains(text), text, line);
        }
        return NUMBER.matcher(text).matches() ? build.number(text, path, line) : new Node.Text(text, line);
    }

    private void checkTag(@Nullable String tag, String path, int line) {
        if (tag != null && !tag.equals("!") && !tag.equals("tag:yaml.org,2002:str")) {
            build.problems.add(path, tag, "tags such as " + tag + " are not supported; remove it", line);
        }
    }
}
