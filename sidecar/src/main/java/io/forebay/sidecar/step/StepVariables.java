package io.forebay.sidecar.step;

import io.forebay.api.job.Job;
import io.forebay.api.job.Variables;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The variables of one item (DESIGN 2): {@code $(INPUT)}, {@code $(INPUT_name)}, {@code $(ITEM)}, {@code $(DIR)}, {@code $(NAME)},
 * {@code $(STEM)}, {@code $(WORK)}, {@code $(OUT)}. Pure.
 */
public final class StepVariables {
    private final Map<String, String> values;

    private StepVariables(Map<String, String> values) {
        this.values = values;
    }

    /** Those that depend on the item's key alone: what {@code to} and {@code path} may use. */
    public static Map<String, String> ofKey(Job job, String key) {
        var values = new LinkedHashMap<String, String>();
        values.put(Variables.ITEM, key);
        job.forEach().ifPresent(each -> {
            int slash = key.lastIndexOf('/');
            values.put(Variables.DIR, slash < 0 ? "" : key.substring(0, slash));
            values.put(Variables.NAME, key.substring(slash + 1));
            values.put(Variables.STEM, job.input(each.input()).stem(key));
        });
        return values;
    }

    /** @param inputs path in the buffer by input name; @param main path of the item's own input, if it has one */
    public static StepVariables of(
            Job job, String key, Map<String, String> inputs, Optional<String> main, String work, String out) {
        var values = ofKey(job, key);
        main.ifPresent(path -> values.put(Variables.INPUT, path));
        inputs.forEach((name, path) -> values.put(Variables.INPUT_PREFIX + name, path));
        values.put(Variables.WORK, work);
        values.put(Variables.OUT, out);
        return new StepVariables(values);
    }

    /** For {@code $(VAR)} in command and env. */
    public Map<String, String> values() {
        return Map.copyOf(values);
    }

    /** The same as the processes of the step see them. */
    public Map<String, String> environment() {
        var out = new LinkedHashMap<String, String>();
        values.forEach((name, value) -> out.put(Variables.environment(name), value));
        return out;
    }
}
