package io.forebay.api.crd;

import io.forebay.api.schema.Default;
import io.forebay.api.schema.Mutable;
import io.forebay.api.schema.Range;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Size;
import io.forebay.api.schema.Syntax;
import io.forebay.api.v1alpha1.PipelineJob;
import java.util.ArrayList;

/** docs/reference/pipelinejob.md: every field of the manifest, in the words of the records. */
public final class ReferencePage {
    private static final String HEAD = """
            <!-- Generated from the records in io.forebay.api.v1alpha1. To write it anew:
                 mvn -pl crds test -Dtest=GeneratedFilesTest -Dforebay.write -->
            # PipelineJob

            `apiVersion: forebay.io/v1alpha1`, `kind: PipelineJob`; with kubectl also `pipelinejobs` and `pj`. One object per file, YAML or
            JSON in UTF-8, at most 1 MiB. Unknown fields, fields given twice and values of another type are refused: by `forebay validate`
            and every other command, by kubectl and, but for unknown fields, by the API server itself.

            Unless a field says *may be changed*, it is immutable on Kubernetes once the object is there.

            ## Words

            | Type | Written as |
            |---|---|
            | text | In quotes where YAML would take it for something else: `"4"`, `"yes"`, `"null"`. |
            | bytes | A Kubernetes quantity: a number, perhaps with a fraction, and one of `Ki Mi Gi Ti Pi Ei` (powers of 1024) or `k M G T P E` (powers of 1000); a whole number of bytes above 0. `8Gi`, `1.5G`, `1048576`. There is no `TB`. |
            | quantity | As bytes, also `500m` for thousandths of a CPU. |
            | duration | Whole numbers of `h`, `m`, `s`, `ms`, larger units first: `4h`, `1h30m`, `90s`, `500ms`. |
            | URI | `s3://bucket/prefix`, `lustre:///path`, `file:///path`. Taken as it is, `%20` means `%20`. No `..`. Relative is only `file://./x`, in a manifest that a command on one machine reads: `x` in the folder of the manifest's file, wherever the command is started; of a manifest on standard input, in the folder where it is started. |
            | pattern | `*` and `?` within a folder, `**` across folders (`**/` also stands for no folder at all), `[a-z]`, `[!a-z]`, `{a,b}` (braces within braces are not known), `\\` before a special character. The whole key must match; upper and lower case differ; a leading dot is nothing special. |

            ## Variables

            | In `command` and `env` | In `path` and `to` | Environment variable | Value |
            |---|---|---|---|
            | `$(INPUT)` | | `FOREBAY_INPUT` | The item's file, or its group's folder, in the buffer; only with `forEach`. |
            | `$(INPUT_name)` | | `FOREBAY_INPUT_name` | The folder, or the single file, of the input of that name. |
            | `$(ITEM)` | `$(ITEM)` | `FOREBAY_ITEM` | The item's key below `source`, its group's folder, or the job's name without `forEach`. |
            | `$(DIR)` | `$(DIR)` | `FOREBAY_DIR` | The folder of the key below `source`; empty at its top. Only with `forEach`. |
            | `$(NAME)` | `$(NAME)` | `FOREBAY_NAME` | The last part of the key. Only with `forEach`. |
            | `$(STEM)` | `$(STEM)` | `FOREBAY_STEM` | NAME without the extension that `include` spells out (`*.nii.gz` makes `x.nii.gz` `x`), else without its last one. Only with `forEach`. |
            | `$(WORK)` | | `FOREBAY_WORK` | Folder for intermediates; the steps run in it. |
            | `$(OUT)` | | `FOREBAY_OUT` | Folder for outputs. |

            `$$(INPUT)` is the text `$(INPUT)`. A variable inside the text of `sh -c`, `bash -c`, `python -c`, `perl -e` and the like is refused,
            since a file's name would run as code there: use the environment variable, as `"$FOREBAY_INPUT"`.
            """;

    private ReferencePage() {}

    /** The page as Markdown. */
    public static String markdown() {
        var out = new StringBuilder(HEAD);
        section(out, "", PipelineJob.class);
        return out.toString();
    }

    private static void section(StringBuilder out, String path, Class<? extends Record> type) {
        out.append("\n## ")
                .append(path.isEmpty() ? "The object" : "`" + path + "`")
                .append("\n\n");
        out.append("| Field | Type | Unset | Meaning |\n|---|---|---|---|\n");
        var below = new ArrayList<Runnable>();
        for (var component : type.getRecordComponents()) {
            var field = new Field(component);
            var name = component.getName();
            out.append("| `")
                    .append(name)
                    .append("` | ")
                    .append(typeOf(field))
                    .append(" | ")
                    .append(unset(field))
                    .append(" | ");
            out.append(cell(meaning(field))).append(" |\n");
            if (field.valueType().isRecord()) {
                var next = (path.isEmpty() ? "" : path + ".") + name + (field.isList() ? "[]" : "");
                below.add(() -> section(out, next, field.valueType().asSubclass(Record.class)));
            }
        }
        below.forEach(Runnable::run);
    }

    private static String typeOf(Field field) {
        var value = one(field);
        var size = field.component().getAnnotation(Size.class);
        var bounds = size == null ? "" : ", " + (size.min() > 0 ? size.min() + " to " : "at most ") + size.max();
        if (field.isList()) {
            return "list of " + value + bounds;
        }
        return field.isMap() ? "names and " + value + bounds : value;
    }

    private static String one(Field field) {
        var type = field.valueType();
        var range = field.component().getAnnotation(Range.class);
        if (type == Integer.class || type == Long.class) {
            return range == null
                    ? "whole number"
                    : range.max() == Integer.MAX_VALUE
                            ? "whole number from " + range.min()
                            : "whole number, " + range.min() + " to " + range.max();
        }
        if (type == Boolean.class) {
            return "`true` or `false`";
        }
        if (type.isEnum()) {
            return "`" + String.join("`, `", field.constants()) + "`";
        }
        return type == String.class ? text(field.syntax()) : "object";
    }

    private static String text(Syntax syntax) {
        return switch (syntax) {
            case FREE, ENDPOINT -> "text";
            case JOB_NAME, NAMESPACE, STEP_NAME, IDENTIFIER, ENV_NAME -> "name, at most " + syntax.maxLength();
            case QUANTITY -> "bytes";
            case RESOURCE -> "quantity";
            case DURATION -> "duration";
            case URI, FOLDER_TEMPLATE -> "URI";
            case PATH_TEMPLATE, GLOB -> "pattern";
        };
    }

    private static String unset(Field field) {
        var component = field.component();
        if (component.isAnnotationPresent(Required.class)) {
            return "*required*";
        }
        var value = component.getAnnotation(Default.class);
        return value == null ? "" : "`" + value.value() + "`";
    }

    private static String meaning(Field field) {
        var out = new StringBuilder(field.text());
        if (field.valueType().isEnum()) {
            field.constantTexts()
                    .forEach((name, text) ->
                            out.append(" `").append(name).append("`: ").append(text));
        }
        if (field.component().isAnnotationPresent(Mutable.class)) {
            out.append(" *May be changed.*");
        }
        return out.toString();
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
