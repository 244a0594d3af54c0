package io.forebay.api.job;

import io.forebay.api.manifest.Problems;
import io.forebay.api.manifest.Suggestion;
import io.forebay.api.v1alpha1.EnvVar;
import io.forebay.api.v1alpha1.OutputSpec;
import io.forebay.api.v1alpha1.StepSpec;
import io.forebay.api.v1alpha1.Texts;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Which variable may be used where. */
final class TemplateRules {
    private static final Pattern REFERENCE = Pattern.compile("[$][(]([A-Z]+(_[A-Za-z0-9_]+)?)[)]");

    private final boolean forEach;
    private final Set<String> inCommands;
    private final Set<String> inDestinations;
    private final Problems problems;

    TemplateRules(boolean forEach, Set<String> inputs, Problems problems) {
        this.forEach = forEach;
        this.inCommands = Variables.ofCommands(forEach, inputs);
        this.inDestinations = Variables.ofDestinations(forEach);
        this.problems = problems;
    }

    void check(StepSpec step, String path) {
        var programs = ProgramText.find(step.command());
        for (int i = 0; i < step.command().size(); i++) {
            int index = i;
            var text = step.command().get(i);
            var program = programs.stream().filter(p -> p.index() == index).findFirst();
            if (program.isPresent()) {
                checkProgram(program.get(), text, path + ".command");
            } else {
                checkVariables(text, inCommands, path + ".command[" + i + "]");
            }
        }
        if (!step.command().isEmpty() && step.command().getFirst().isBlank()) {
            problems.add(path + ".command[0]", step.command().getFirst(), "is blank; write the program to run");
        }
        for (int i = 0; i < step.env().size(); i++) {
            EnvVar variable = step.env().get(i);
            if (variable.value() != null) {
                checkVariables(variable.value(), inCommands, path + ".env[" + i + "].value");
            }
        }
    }

    private void checkProgram(ProgramText program, String text, String path) {
        var m = REFERENCE.matcher(text.replace("$$", ""));
        while (m.find()) {
            if (Variables.isReserved(m.group(1))) {
                var variable = Variables.environment(m.group(1));
                problems.add(
                        path,
                        text,
                        "$(" + m.group(1) + ") " + Texts.PROGRAM_TEXT + " " + variable + " " + Texts.PROGRAM_TEXT_END
                                + "; in " + program.interpreter() + ": "
                                + program.environment().formatted(variable));
                return;
            }
        }
    }

    private boolean checkVariables(String text, Set<String> known, String path) {
        for (var name : new Template(text).variables()) {
            if (known.contains(name) || (known == inCommands && !Variables.isName(name))) {
                continue;
            }
            var why = !forEach
                            && Variables.isReserved(name)
                            && Variables.ofCommands(true, Set.of()).contains(name)
                    ? "has no value without spec.forEach"
                    : "is not known here";
            problems.add(
                    path,
                    text,
                    "$(" + name + ") " + why + "; known are " + Variables.list(known)
                            + "; for the text itself write $$(" + name + ")"
                            + Suggestion.closest(name, known)
                                    .map(k -> "; did you mean $(" + k + ")?")
                                    .orElse(""));
            return false;
        }
        if (known == inDestinations && new Template(text).isUnclosed()) {
            problems.add(path, text, "'$(' is not closed; write $(NAME), or $$( for the text itself");
            return false;
        }
        return true;
    }

    void check(OutputSpec output, String path) {
        var pattern = output.path();
        if (pattern != null && checkVariables(pattern, inDestinations, path + ".path")) {
            parsed(value -> Glob.parse(new Template(pattern).expandPath(sample(value))), pattern, path + ".path");
        }
        var to = output.to();
        if (to != null && checkVariables(to, inDestinations, path + ".to")) {
            parsed(value -> StoreUri.parse(new Template(to).expandPath(sample(value))), to, path + ".to");
        }
    }

    private Map<String, String> sample(String value) {
        var variables = new LinkedHashMap<String, String>();
        inDestinations.forEach(name -> variables.put(name, value));
        return variables;
    }

    /** Any value will do, and none: what is checked is the text around it. */
    private void parsed(Consumer<String> parser, String text, String path) {
        try {
            parser.accept("x");
            parser.accept("");
        } catch (IllegalArgumentException e) {
            problems.add(path, text, String.valueOf(e.getMessage()));
        }
    }
}
