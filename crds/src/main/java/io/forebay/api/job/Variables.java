package io.forebay.api.job;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The variables of an item: {@code $(X)} in the manifest, {@code FOREBAY_X} in the environment of its steps. */
public final class Variables {
    /** The item's file, or group's folder, in the buffer; only with forEach. */
    public static final String INPUT = "INPUT";
    /** Followed by an input's name: its folder, or single file, in the buffer. */
    public static final String INPUT_PREFIX = "INPUT_";
    /** What people call the item: its key below the source, or the job's name. */
    public static final String ITEM = "ITEM";
    /** The folder of the key, below the source; empty at its top. Only with forEach, as the next two. */
    public static final String DIR = "DIR";
    /** The last part of the key. */
    public static final String NAME = "NAME";
    /** NAME without its extension, see {@link Job.Input#stem}. */
    public static final String STEM = "STEM";
    /** Folder for intermediates. */
    public static final String WORK = "WORK";
    /** Folder for outputs. */
    public static final String OUT = "OUT";

    /** Of the environment variables. */
    public static final String ENVIRONMENT_PREFIX = "FOREBAY_";

    private static final Pattern NAME_SYNTAX = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private Variables() {}

    /** Name of the environment variable that has the value of {@code variable}. */
    public static String environment(String variable) {
        return ENVIRONMENT_PREFIX + variable;
    }

    /** Those that {@code command} and {@code env} may use. */
    static Set<String> ofCommands(boolean forEach, Collection<String> inputs) {
        var names = new LinkedHashSet<String>();
        if (forEach) {
            names.add(INPUT);
        }
        inputs.forEach(input -> names.add(INPUT_PREFIX + input));
        names.addAll(ofDestinations(forEach));
        names.addAll(List.of(WORK, OUT));
        return names;
    }

    /** Those that {@code path} and {@code to} may use. */
    static Set<String> ofDestinations(boolean forEach) {
        return forEach ? new LinkedHashSet<>(List.of(ITEM, DIR, NAME, STEM)) : new LinkedHashSet<>(List.of(ITEM));
    }

    /** Whether the name has any meaning, in some field of some job. */
    static boolean isReserved(String name) {
        return List.of(INPUT, ITEM, DIR, NAME, STEM, WORK, OUT).contains(name) || name.startsWith(INPUT_PREFIX);
    }

    /** Whether it could be meant as a variable at all: {@code $(ls -l)} is not. */
    static boolean isName(String name) {
        return NAME_SYNTAX.matcher(name).matches();
    }

    /** {@code $(A), $(B)} */
    static String list(Collection<String> names) {
        var texts = new ArrayList<String>();
        names.forEach(name -> texts.add("$(" + name + ")"));
        return String.join(", ", texts);
    }
}
