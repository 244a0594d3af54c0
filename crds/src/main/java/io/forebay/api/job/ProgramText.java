package io.forebay.api.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An argument that some interpreter runs as a program: the text of {@code sh -c}. What is spliced into it is run, so no
 * variable may be in it. Found wherever the interpreter stands: after {@code env}, {@code timeout}, {@code srun}, too.
 *
 * @param index of the argument in the command
 * @param interpreter as in the command, with its option: {@code /bin/sh -ec}
 * @param environment how its language reads an environment variable, with %s for the name
 */
record ProgramText(int index, String interpreter, String environment) {

    /**
     * A family of interpreters.
     *
     * @param options that announce a program: letters of clusters (-ec), then whole words (--eval)
     * @param withArgument options before it whose next argument is not its program
     */
    private record Language(
            Pattern names, String letters, Set<String> words, Set<String> withArgument, String environment) {
        static Language of(
                String names, String letters, String environment, Set<String> words, Set<String> withArgument) {
            return new Language(Pattern.compile(names), letters, words, withArgument, environment);
        }
    }

    private static final Language SHELL = Language.of(
            "(ba|da|a|z|k|mk|pdk|c|tc|rba|fi|po)?sh|su|runuser|flock",
            "c",
            "\"$%s\"",
            Set.of("--command"),
            Set.of("--rcfile", "--init-file", "-o", "+o", "-O", "+O"));
    /** su user -c text, flock file -c text */
    private static final Pattern OPTION_AFTER_WORDS = Pattern.compile("(^|/)(su|runuser|flock)$");

    private static final List<Language> LANGUAGES = List.of(
            Language.of("i?python[0-9.]*|pypy[0-9.]*", "c", "os.environ[\"%s\"]", Set.of(), Set.of("-W", "-X")),
            Language.of("perl[0-9.]*", "eE", "$ENV{%s}", Set.of(), Set.of()),
            Language.of("ruby[0-9.]*", "e", "ENV[\"%s\"]", Set.of(), Set.of("-r", "-I", "-C")),
            Language.of(
                    "node|nodejs|bun",
                    "ep",
                    "process.env.%s",
                    Set.of("--eval", "--print", "-pe"),
                    Set.of("-r", "--require")),
            Language.of("php[0-9.]*", "r", "getenv(\"%s\")", Set.of("--run"), Set.of("-d", "-c")),
            Language.of("R|Rscript", "e", "Sys.getenv(\"%s\")", Set.of(), Set.of()),
            Language.of("julia", "eE", "ENV[\"%s\"]", Set.of("--eval", "--print"), Set.of("-L", "-J", "-t", "-p")),
            Language.of("lua[0-9.]*|luajit", "e", "os.getenv(\"%s\")", Set.of(), Set.of("-l")),
            Language.of("octave(-cli)?", "", "getenv(\"%s\")", Set.of("--eval"), Set.of("--path", "-p")),
            Language.of("matlab", "", "getenv('%s')", Set.of("-batch", "-r"), Set.of("-sd", "-logfile")));

    private static final Pattern AWK = Pattern.compile("[gmn]?awk|original-awk");

    static List<ProgramText> find(List<String> command) {
        var found = new ArrayList<ProgramText>();
        for (int i = 0; i < command.size(); i++) {
            var name = command.get(i).substring(command.get(i).lastIndexOf('/') + 1);
            if (SHELL.names().matcher(name).matches()) {
                shell(command, i).ifPresent(found::add);
            } else if (AWK.matcher(name).matches()) {
                awk(command, i).ifPresent(found::add);
            } else {
                for (var language : LANGUAGES) {
                    if (language.names().matcher(name).matches()) {
                        found.addAll(other(command, i, language));
                    }
                }
            }
        }
        return found;
    }

    /** POSIX sh: with -c anywhere among the options the first argument that is none is the program. */
    private static Optional<ProgramText> shell(List<String> command, int at) {
        int i = at + 1;
        String announced = null;
        while (i < command.size() && isOption(command.get(i)) && !command.get(i).equals("--")) {
            var option = command.get(i);
            i++;
            if (SHELL.withArgument().contains(option)) {
                i++;
            } else if (SHELL.words().contains(option)) {
                announced = option;
            } else if (!option.startsWith("--")) {
                announced = option.startsWith("-") && option.indexOf('c') > 0 ? option : announced;
                // -euo pipefail: each o takes an argument.
                i += (int)
                        option.chars().skip(1).filter(c -> c == 'o' || c == 'O').count();
            }
        }
        if (i < command.size() && command.get(i).equals("--")) {
            i++;
        }
        if (announced == null) {
            if (!OPTION_AFTER_WORDS.matcher(command.get(at)).find()) {
                return Optional.empty();
            }
            for (int j = at + 1; j + 1 < command.size(); j++) {
                if (command.get(j).equals("-c") || command.get(j).equals("--command")) {
                    return Optional.of(
                            new ProgramText(j + 1, command.get(at) + " " + command.get(j), SHELL.environment()));
                }
            }
            return Optional.empty();
        }
        return i < command.size()
                ? Optional.of(new ProgramText(i, command.get(at) + " " + announced, SHELL.environment()))
                : Optional.empty();
    }

    private static Optional<ProgramText> awk(List<String> command, int at) {
        for (int i = at + 1; i < command.size(); i++) {
            var option = command.get(i);
            if (option.startsWith("-f") || option.startsWith("--file")) {
                return Optional.empty();
            }
            if (option.equals("-v") || option.equals("-F")) {
                i++;
            } else if (!isOption(option)) {
                return Optional.of(new ProgramText(i, command.get(at), "ENVIRON[\"%s\"]"));
            }
        }
        return Optional.empty();
    }

    /** The program is the argument after the option, or the rest of the option itself. */
    private static List<ProgramText> other(List<String> command, int at, Language language) {
        var found = new ArrayList<ProgramText>();
        // Without letters: what no option matches.
        var cluster = Pattern.compile(
                language.letters().isEmpty() ? "(x)y" : "-[A-Za-z0-9]*?[" + language.letters() + "](?s:(.*))");
        for (int i = at + 1; i < command.size() && isOption(command.get(i)); i++) {
            var option = command.get(i);
            if (language.withArgument().contains(option)) {
                i++;
                continue;
            }
            int equals = option.indexOf('=');
            boolean word = language.words().contains(option);
            if (equals > 0 && language.words().contains(option.substring(0, equals))) {
                found.add(new ProgramText(
                        i, command.get(at) + " " + option.substring(0, equals), language.environment()));
                continue;
            }
            var m = cluster.matcher(option);
            boolean letter = !option.startsWith("--") && m.matches();
            if (!word && !letter) {
                continue;
            }
            boolean joined = !word && !m.group(1).isEmpty();
            var announced =
                    joined ? option.substring(0, option.length() - m.group(1).length()) : option;
            if (joined) {
                found.add(new ProgramText(i, command.get(at) + " " + announced, language.environment()));
            } else if (i + 1 < command.size()) {
                found.add(new ProgramText(++i, command.get(at) + " " + announced, language.environment()));
            }
        }
        return found;
    }

    private static boolean isOption(String argument) {
        return argument.length() > 1 && (argument.startsWith("-") || argument.startsWith("+"));
    }
}
