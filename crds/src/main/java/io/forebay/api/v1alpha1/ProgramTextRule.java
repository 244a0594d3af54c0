package io.forebay.api.v1alpha1;

/**
 * The rule that no variable is inside the text of {@code sh -c} and the like, as far as CEL can say it within its cost limit:
 * for shells and Python among the first 3 words, with at most 2 words between them and their option. The validator looks further.
 */
final class ProgramTextRule {
    private static final String VARIABLE = "[$][(](INPUT(_[A-Za-z0-9_]+)?|ITEM|DIR|NAME|STEM|WORK|OUT)[)]";
    /** $$ is a literal $. */
    private static final String UNESCAPED = "(^|[^$])([$][$])*" + VARIABLE;

    static final String CEL = "![0, 1, 2].exists(i, i + 2 < self.size()"
            + " && self[i].matches('(^|/)((ba|da|a|z|k|mk|c|tc)?sh|python[0-9.]*)$')"
            + " && [1, 2, 3].exists(d, i + d + 1 < self.size() && self[i + d].matches('^-[A-Za-z]*c[A-Za-z]*$')"
            + " && (d == 1 || self[i + 1].matches('^[-+]'))"
            + " && (d < 3 || self[i + 2].matches('^[-+]') || self[i + 1].matches('^[-+][A-Za-z]*[oOWX]$'))"
            + " && self[i + d + 1].matches('" + UNESCAPED + "')))";

    static final String MESSAGE = "self.filter(a, a.matches('" + UNESCAPED + "')).map(a, a.find('" + VARIABLE + "'))"
            + ".map(v, v + \" " + Texts.PROGRAM_TEXT + " FOREBAY_\" + v.substring(2, v.size() - 1) + \" "
            + Texts.PROGRAM_TEXT_END + "\")[0]";

    private ProgramTextRule() {}
}
