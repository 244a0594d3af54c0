package io.forebay.api.manifest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/** Reads JSON (RFC 8259). Escaped lone surrogates are kept: they are bytes of names. */
final class JsonText {
    private final JsonParser parser;
    private final NodeBuilder build;

    private JsonText(JsonParser parser, NodeBuilder build) {
        this.parser = parser;
        this.build = build;
    }

    /** {@code null}: not JSON, told. */
    static @Nullable Node parse(String text, Problems problems) {
        try (var parser = new JsonFactory().createParser(text)) {
            var reader = new JsonText(parser, new NodeBuilder(problems));
            parser.nextToken();
            var node = reader.value("", 0);
            if (parser.nextToken() != null) {
                problems.add("", "", "the text goes on after the manifest; leave one object only", reader.line());
            }
            return node;
        } catch (NodeBuilder.TooMuch e) {
            problems.add("", "", String.valueOf(e.getMessage()));
        } catch (StreamConstraintsException e) {
            problems.add("", "", "the manifest is too large: " + e.getOriginalMessage());
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
            problems.add("", "", "the manifest is no JSON: " + e.getOriginalMessage(), line);
        } catch (IOException e) {
            throw new IllegalStateException("reading from memory", e);
        }
        return null;
    }

    private int line() {
        return parser.currentTokenLocation().getLineNr();
    }

    private Node value(String path, int depth) throws IOException {
        build.count(depth);
        int line = line();
        build.problems.at(path, line);
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new NodeBuilder.TooMuch("the manifest ends too early");
        }
        // Tokens of a text parser; the others come from binary formats only.
        return switch (token) {
            case START_OBJECT -> object(path, depth, line);
            case START_ARRAY -> {
                var entries = new ArrayList<Node>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    entries.add(value(NodeBuilder.below(path, entries.size()), depth + 1));
                }
                yield new Node.Seq(entries, line);
            }
            case VALUE_STRING -> new Node.Text(parser.getText(), line);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> build.number(parser.getText(), path, line);
            case VALUE_TRUE, VALUE_FALSE -> new Node.Bool(token == JsonToken.VALUE_TRUE, parser.getText(), line);
            case VALUE_NULL -> new Node.Null(line);
            case END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE ->
                throw new IllegalStateException("unexpected " + token);
        };
    }

    private Node object(String path, int depth, int line) throws IOException {
        var fields = new LinkedHashMap<String, Node>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            var key = parser.currentName();
            int keyLine = line();
            parser.nextToken();
            var at = NodeBuilder.below(path, key);
            build.put(fields, path, key, value(at, depth + 1), keyLine);
        }
        return new Node.Obj(fields, line);
    }
}
