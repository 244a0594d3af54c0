package io.forebay.api.schema;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a text of the manifest must look like, as regular expressions that Java and CEL (RE2) read alike, each with the words
 * that follow the quoted text when it does not. Validator and API server so refuse the same with the same message. What goes
 * beyond regular expressions is checked when the text is parsed.
 */
public enum Syntax {
    /** Anything. */
    FREE(4096),
    JOB_NAME(
            253,
            Check.matches(
                    "^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$",
                    "is no name; write lower case letters, digits, '-' and '.', starting and ending with a letter or digit")),
    NAMESPACE(
            63,
            Check.matches(
                    "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$",
                    "is no namespace; write lower case letters, digits and '-', starting and ending with a letter or digit")),
    /** Becomes a container's name. */
    STEP_NAME(
            50,
            Check.matches(
                    "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$",
                    "is no step name; write lower case letters, digits and '-', starting and ending with a letter or digit"),
            Check.matchesNot("^(buffer|commit)$", "is the name of one of Forebay's own containers; choose another")),
    /** Becomes the end of an environment variable's name. */
    IDENTIFIER(
            50,
            Check.matches(
                    "^[A-Za-z0-9_]+$",
                    "cannot end the name of an environment variable; write letters, digits and '_' only")),
    ENV_NAME(
            256,
            Check.matches(
                    "^[A-Za-z_][A-Za-z0-9_]*$",
                    "is no name of an environment variable; write letters, digits and '_', not starting with a digit"),
            Check.matchesNot("^FOREBAY_", "is reserved: Forebay sets the variables FOREBAY_...; choose another name")),
    /** Bytes, more than none. Also written as a whole number. */
    QUANTITY(
            32,
            Check.matches(
                    "^[0-9]+([.][0-9]+)?(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)?$",
                    "is no quantity of bytes; write a number with one of the suffixes Ki Mi Gi Ti Pi Ei k M G T P E, for example 8Gi"),
            Check.matches("[1-9]", "is nothing; write a size above 0, for example 8Gi")),
    /** Requests and limits: also CPUs (500m) and counts of devices. Also written as a whole number. */
    RESOURCE(
            32,
            Check.matches(
                    "^[0-9]+([.][0-9]+)?(m|Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)?$",
                    "is no quantity; write a number, perhaps with one of the suffixes m Ki Mi Gi Ti Pi Ei k M G T P E, for example 500m or 2Gi")),
    DURATION(
            48,
            Check.matches(
                    "^([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?([0-9]{1,9}ms)?$",
                    "is no duration; write whole numbers of h, m, s, ms, larger units first, for example 4h, 1h30m, 90s, 500ms"),
            Check.matches("[1-9]", "is no time at all; write a duration above 0, for example 30m")),
    URI(
            1024,
            with(
                    uriChecks(),
                    Check.matchesNot(
                            "[$][(](INPUT|ITEM|DIR|NAME|STEM|WORK|OUT)(_[A-Za-z0-9_]*)?[)]",
                            "holds a variable, but is the same for all items; only path and to of an output differ between items"))),
    /** A folder of a store with variables in it, below something fixed. */
    FOLDER_TEMPLATE(
            1024,
            with(
                    uriChecks(),
                    Check.matches(
                            "^(s3://[^/$]+(/|$)|(lustre|file):///[^/$]+(/|$))",
                            "does not start with a fixed place; write a bucket or a first folder without variables, for example"
                                    + " lustre:///scratch/results/$(DIR)/"),
                    Check.matchesNot(
                            "://[^/]*/(.*/)?[^/]*[.][^/]*$",
                            "ends like the name of a file, but it is the folder that files are put in; end it with '/'"))),
    /** Relative, below a folder. */
    PATH_TEMPLATE(
            512,
            Check.matchesNot("^/", "is absolute; write it relative to $(OUT), for example *.nii"),
            Check.matchesNot("(^|/)[.][.](/|$)", "holds '..', which is not allowed; name what lies below $(OUT)"),
            Check.matchesNot("/$", "names a folder; write what is to be taken from it, for example results/**")),
    GLOB(
            512,
            Check.matchesNot("^/", "starts with '/', but is relative to the source; leave the '/' out"),
            Check.matchesNot("(^|/)[.][.](/|$)", "holds '..', which is not allowed; name what lies below the source")),
    /** Of a server. */
    ENDPOINT(
            1024,
            Check.matches(
                    "^https?://[^/?#@]+/?$",
                    "is no endpoint; write http://host:port or https://host:port, without path, user and password"));

    /**
     * One condition.
     *
     * @param regex looked for anywhere in the text; no flags
     * @param wanted whether it must be found, or must not
     * @param words what follows the quoted text if not
     */
    public record Check(String regex, boolean wanted, String words, Pattern pattern) {
        static Check matches(String regex, String words) {
            return new Check(regex, true, words, Pattern.compile(regex));
        }

        static Check matchesNot(String regex, String words) {
            return new Check(regex, false, words, Pattern.compile(regex));
        }

        boolean passes(String text) {
            return pattern.matcher(text).find() == wanted;
        }
    }

    private final int maxLength;
    private final List<Check> checks;

    Syntax(int maxLength, Check... checks) {
        this.maxLength = maxLength;
        this.checks = List.of(checks);
    }

    /** In characters; the API server counts the cost of rules by it. */
    public int maxLength() {
        return maxLength;
    }

    public List<Check> checks() {
        return checks;
    }

    /** What is wrong with the text, in a sentence that starts with it; the first fault only. */
    public Optional<String> fault(String text) {
        int length = text.codePointCount(0, text.length());
        if (length > maxLength) {
            return Optional.of("has %d characters; at most %d are allowed".formatted(length, maxLength));
        }
        return checks.stream()
                .filter(check -> !check.passes(text))
                .findFirst()
                .map(check -> "'" + text + "' " + check.words());
    }

    private static Check[] uriChecks() {
        return new Check[] {
            Check.matches(
                    "^[^/]*://",
                    "is no store URI; write s3://bucket/prefix, lustre:///path or file:///path; on one machine also file://./x, x beside"
                            + " the manifest's file"),
            Check.matches("^(s3|lustre|file)://", "has a scheme that is not known; use s3, lustre or file"),
            Check.matches(
                    "^(lustre|file|s3://[A-Za-z0-9][A-Za-z0-9._-]*(/|$))", "names no bucket; write s3://bucket/prefix"),
            Check.matchesNot(
                    "^file://[.]/",
                    "is relative to the manifest's file, which only commands on one machine know; write file:///path"),
            Check.matchesNot(
                    "^(lustre|file)://[.][.](/|$)",
                    "leads out of the manifest's folder; write the whole path, for example file:///path: relative is only file://./x, x"
                            + " beside the manifest's file"),
            Check.matches(
                    "^(s3|lustre:///|file:///)",
                    "has a host where the path should start; write three slashes, for example lustre:///path; on one machine also"
                            + " file://./x, x beside the manifest's file"),
            Check.matchesNot("/[.][.](/|$)", "holds '..', which is not allowed; write the folder that is meant"),
        };
    }

    private static Check[] with(Check[] first, Check... more) {
        var all = new Check[first.length + more.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return all;
    }
}
