package io.forebay.api.crd;

import io.forebay.api.schema.Rule;
import io.forebay.api.schema.Syntax;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One entry of x-kubernetes-validations.
 *
 * @param message or {@code messageExpression}; the other is empty
 * @param field below the object; empty: the object itself
 * @param reason empty: Kubernetes' default, FieldValueInvalid
 */
record Cel(String rule, String message, String messageExpression, String field, String reason) {
    private static final String IMMUTABLE =
            "is immutable; delete the job and create it anew: what is done is not done again";
    private static final String PRESENCE =
            "fields of it may not be set or unset later; delete the job and create it anew: what is done is not done again";

    static Cel of(Rule rule) {
        return new Cel(
                rule.cel(),
                rule.message(),
                rule.messageExpression(),
                rule.field(),
                rule.requiredValue() ? "FieldValueRequired" : "");
    }

    /** @param messageExpression CEL for what the message says */
    static Cel expression(String rule, String messageExpression) {
        return new Cel(rule, "", messageExpression, "", "");
    }

    private static Cel words(String rule, String message) {
        return new Cel(rule, message, "", "", "");
    }

    static Cel range(int min, int max) {
        return words(
                "self >= " + min + " && self <= " + max,
                "is out of range; write a whole number from " + min + " to " + max);
    }

    static Cel minimumSize(int min, int max) {
        return words("self.size() >= " + min, "holds too few entries; write " + min + " to " + max);
    }

    /** A value may not change. Whether it is there is the rule of the object that it is in, see {@link #samePresence}. */
    static Cel immutable() {
        return new Cel("self == oldSelf", IMMUTABLE, "", "", "FieldValueForbidden");
    }

    /** What is optional stays set, or unset. */
    static String samePresence(String field) {
        return "has(self." + field + ") == has(oldSelf." + field + ")";
    }

    /** The same of a field below an object that may itself come and go. */
    static String samePresence(String object, String field) {
        var path = ".?" + object + ".?" + field + ".hasValue()";
        return "self" + path + " == oldSelf" + path;
    }

    static Cel allSame(List<String> conditions) {
        return new Cel(String.join(" && ", conditions), PRESENCE, "", "", "FieldValueForbidden");
    }

    /** The entries of a list stay the same ones, in the same order; {@code key} names them. */
    static Cel sameEntries(String key) {
        return new Cel(
                "self.map(e, e." + key + ") == oldSelf.map(e, e." + key + ")",
                IMMUTABLE,
                "",
                "",
                "FieldValueForbidden");
    }

    /** The checks of a syntax, and what is special about it. */
    static List<Cel> of(Syntax syntax) {
        var rules = new ArrayList<Cel>();
        for (var check : syntax.checks()) {
            var self = syntax == Syntax.QUANTITY || syntax == Syntax.RESOURCE ? "string(self)" : "self";
            rules.add(expression(
                    (check.wanted() ? "" : "!") + self + ".matches(" + literal(check.regex()) + ")",
                    "\"'\" + " + self + " + " + literal("' " + check.words())));
        }
        switch (syntax) {
            case QUANTITY ->
                rules.add(expression(
                        "!isQuantity(string(self)) || string(self).contains('.') || quantity(string(self)).isInteger()",
                        "\"'\" + string(self) + \"' is not a whole number of bytes below 2^63\""));
            case GLOB -> rules.add(GlobRule.CEL);
            case PATH_TEMPLATE -> {
                rules.add(GlobRule.CEL);
                rules.addAll(variables());
            }
            case FOLDER_TEMPLATE -> rules.addAll(variables());
            case FREE, JOB_NAME, NAMESPACE, STEP_NAME, IDENTIFIER, ENV_NAME, RESOURCE, DURATION, URI, ENDPOINT -> {}
        }
        return rules;
    }

    /** In path and to: only those of an item's key. */
    private static List<Cel> variables() {
        var known = "['$(ITEM)', '$(DIR)', '$(NAME)', '$(STEM)']";
        var used = "self.replace('$$', '').findAll('[$][(][^)]*[)]')";
        return List.of(
                expression(
                        used + ".all(v, v in " + known + ")",
                        used + ".filter(v, !(v in " + known
                                + ")).map(v, v + ' is not known here; known are $(ITEM), $(DIR), $(NAME),"
                                + " $(STEM); for the text itself write $' + v)[0]"),
                words(
                        "!self.replace('$$', '').matches('[$][(][^)]*$')",
                        "'$(' is not closed; write $(NAME), or $$( for the text itself"));
    }

    /** A CEL string. */
    static String literal(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    Map<String, Object> toMap() {
        var map = new LinkedHashMap<String, Object>();
        map.put("rule", rule);
        if (!message.isEmpty()) {
            map.put("message", message);
        }
        if (!messageExpression.isEmpty()) {
            map.put("messageExpression", messageExpression);
        }
        if (!field.isEmpty()) {
            map.put("fieldPath", field);
        }
        if (!reason.isEmpty()) {
            map.put("reason", reason);
        }
        return map;
    }
}
