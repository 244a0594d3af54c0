package io.forebay.helm;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The values of a chart as a table. A comment that starts with {@code # --} describes the key below it, and with it all that this key
 * holds.
 */
record ValuesTable(List<Row> rows, List<String> undescribed) {
    /** @param value the default, as JSON */
    record Row(String path, String value, String description) {}

    private static final Pattern KEY = Pattern.compile("( *)([A-Za-z][A-Za-z0-9]*):.*");

    ValuesTable {
        rows = List.copyOf(rows);
        undescribed = List.copyOf(undescribed);
    }

    static ValuesTable of(String yaml) {
        var values = Chart.documents(yaml).getFirst();
        var rows = new ArrayList<Row>();
        var undescribed = new ArrayList<String>();
        // The keys that the line is in, two columns for each.
        var parents = new ArrayList<String>();
        var description = "";
        var described = -1;
        for (var line : yaml.lines().toList()) {
            var words = line.strip();
            if (words.startsWith("# -- ")) {
                description = words.substring(5);
            } else if (words.startsWith("#") && !description.isEmpty()) {
                description += " " + words.substring(1).strip();
            }
            var key = KEY.matcher(line);
            if (!key.matches()) {
                continue;
            }
            var depth = key.group(1).length() / 2;
            parents.subList(Math.min(depth, parents.size()), parents.size()).clear();
            parents.add(key.group(2));
            if (described >= 0 && depth > described) {
                continue;
            }
            described = -1;
            var path = String.join(".", parents);
            var value = values.at("/" + String.join("/", parents));
            if (!description.isEmpty()) {
                rows.add(new Row(path, value.toString(), description));
                described = depth;
            } else if (!holdsNamedValues(value)) {
                undescribed.add(path);
            }
            description = "";
        }
        return new ValuesTable(rows, undescribed);
    }

    String markdown() {
        var text = new StringBuilder("| Value | Default | Meaning |\n|---|---|---|\n");
        for (var row : rows) {
            text.append("| `%s` | `%s` | %s |\n"
                    .formatted(row.path(), row.value(), row.description().replace("|", "\\|")));
        }
        return text.toString();
    }

    private static boolean holdsNamedValues(JsonNode value) {
        return value.isObject() && !value.isEmpty();
    }
}
