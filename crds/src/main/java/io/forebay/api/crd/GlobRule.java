package io.forebay.api.crd;

/**
 * The language of {@link io.forebay.api.value.Glob} as a regular expression: it has no recursion. What it matches of a
 * malformed pattern ends where the fault starts. Only ranges that are upside down escape it.
 */
final class GlobRule {
    private static final String ESCAPED = "\\\\[\\s\\S]";
    private static final String CLASS =
            "\\[(!(" + ESCAPED + "|[^\\\\\\[/])|" + ESCAPED + "|[^\\\\\\[/!^])(" + ESCAPED + "|[^\\\\\\[\\]/])*\\]";
    /** No stars: at most two of them stand before each of these, and at the end. */
    private static final String IN_BRACES = "([^*\\[\\]{}\\\\,]|" + ESCAPED + "|" + CLASS + ")";

    private static final String BRANCH = "([*]{0,2}" + IN_BRACES + ")*[*]{0,2}";
    private static final String BRACES = "\\{" + BRANCH + "(," + BRANCH + ")+\\}";
    private static final String ELEMENT = "([^*\\[\\]{}\\\\]|" + ESCAPED + "|" + CLASS + "|" + BRACES + ")";
    static final String START = "^([*]{0,2}" + ELEMENT + ")*[*]{0,2}";

    /** What is left after all that is well. */
    private static final String REST = "self.substring(self.find(" + Cel.literal(START) + ").size())";

    static final Cel CEL = Cel.expression(
            "self != '' && self.matches(" + Cel.literal(START + "$") + ")",
            "self == '' ? 'the pattern is empty; write ** for everything' : [" + REST
                    + "].map(r, \"'\" + self + \"': \" + ("
                    + fault("[", "unclosed class", "close it with ], or write \\\\[ for the character") + " : "
                    + fault("{", "unclosed braces", "close them with }, or write \\\\{ for the character") + " : "
                    + fault("*", "more than 2 asterisks in a row", "write * (within a folder) or ** (across folders)")
                    + " : "
                    + fault("\\\\", "a backslash that escapes nothing", "write \\\\\\\\ for the character") + " : "
                    + fault("]", "']' that closes nothing", "write \\\\] for the character") + " : "
                    + "\"'}' that closes nothing at '\" + r + \"'; write \\\\} for the character\"))[0]");

    private GlobRule() {}

    private static String fault(String start, String what, String remedy) {
        return "r.startsWith(\"" + start + "\") ? \"" + what + " at '\" + r + \"'; " + remedy + "\"";
    }
}
