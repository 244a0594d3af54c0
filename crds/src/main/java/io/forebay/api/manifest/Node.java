package io.forebay.api.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;

/** What a text of YAML or JSON holds, with the line of each value. */
sealed interface Node {
    int line();

    /** In the words of OpenAPI, which the API server uses. */
    String type();

    /** As written, for messages. */
    String shown();

    JsonNode toJson();

    record Text(String value, int line) implements Node {
        @Override
        public String type() {
            return "string";
        }

        @Override
        public String shown() {
            return value;
        }

        @Override
        public JsonNode toJson() {
            return JsonNodeFactory.instance.textNode(value);
        }
    }

    /** @param text as written, in a form that JSON knows */
    record Num(String text, int line) implements Node {
        boolean isWhole() {
            return text.matches("-?(0|[1-9][0-9]*)");
        }

        @Override
        public String type() {
            return isWhole() ? "integer" : "number";
        }

        @Override
        public String shown() {
            return text;
        }

        @Override
        public JsonNode toJson() {
            var number = new BigDecimal(text);
            if (!isWhole()) {
                return JsonNodeFactory.instance.numberNode(number);
            }
            var whole = number.toBigIntegerExact();
            // The narrowest, as Jackson reads them: equal numbers are equal nodes.
            return whole.bitLength() < Integer.SIZE
                    ? JsonNodeFactory.instance.numberNode(whole.intValue())
                    : whole.bitLength() < Long.SIZE
                            ? JsonNodeFactory.instance.numberNode(whole.longValue())
                            : JsonNodeFactory.instance.numberNode(whole);
        }
    }

    /** @param text as written: {@code yes} and {@code on} are true too, as for kubectl */
    record Bool(boolean value, String text, int line) implements Node {
        @Override
        public String type() {
            return "boolean";
        }

        @Override
        public String shown() {
            return text;
        }

        @Override
        public JsonNode toJson() {
            return JsonNodeFactory.instance.booleanNode(value);
        }
    }

    record Null(int line) implements Node {
        @Override
        public String type() {
            return "null";
        }

        @Override
        public String shown() {
            return "null";
        }

        @Override
        public JsonNode toJson() {
            return JsonNodeFactory.instance.nullNode();
        }
    }

    /** What was told already when it was read; nobody tells it again. */
    record Bad(String text, int line) implements Node {
        @Override
        public String type() {
            return "nothing usable";
        }

        @Override
        public String shown() {
            return text;
        }

        @Override
        public JsonNode toJson() {
            return JsonNodeFactory.instance.textNode(text);
        }
    }

    record Seq(List<Node> entries, int line) implements Node {
        @Override
        public String type() {
            return "array";
        }

        @Override
        public String shown() {
            return "a list";
        }

        @Override
        public JsonNode toJson() {
            var json = JsonNodeFactory.instance.arrayNode();
            entries.forEach(e -> json.add(e.toJson()));
            return json;
        }
    }

    /** @param fields in the order of the text */
    record Obj(LinkedHashMap<String, Node> fields, int line) implements Node {
        @Override
        public String type() {
            return "object";
        }

        @Override
        public String shown() {
            return "an object";
        }

        @Override
        public JsonNode toJson() {
            var json = JsonNodeFactory.instance.objectNode();
            fields.forEach((name, value) -> json.set(name, value.toJson()));
            return json;
        }
    }
}
