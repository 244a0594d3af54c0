package io.forebay.sidecar.item;

import io.forebay.api.job.Job;
import io.forebay.api.value.Glob;
import java.util.Map;
import java.util.Optional;

/**
 * What an item's key alone gives: {@code $(DIR)}, {@code $(NAME)}, {@code $(STEM)}. Pure.
 *
 * @param dir the key's folder below the input's prefix, without a trailing slash; empty for a key without one
 * @param name its last part
 * @param stem name without the extension that an include pattern spells out, else without the last one
 */
public record ItemNames(String dir, String name, String stem) {

    public static ItemNames of(Job job, String key) {
        int slash = key.lastIndexOf('/');
        var name = key.substring(slash + 1);
        return new ItemNames(slash < 0 ? "" : key.substring(0, slash), name, stem(job, key, name));
    }

    /** Those variables that {@code to} and {@code path} may use, for one item. */
    public static Map<String, String> variables(Job job, String key) {
        var names = of(job, key);
        return Map.of("ITEM", key, "DIR", names.dir, "NAME", names.name, "STEM", names.stem);
    }

    private static String stem(Job job, String key, String name) {
        if (job.forEach().isPresent()) {
            for (Glob glob : job.input(job.forEach().get().input()).include()) {
                var extension = glob.matches(key) ? glob.extensionOf(name) : Optional.<String>empty();
                if (extension.isPresent()) {
                    return name.substring(0, name.length() - extension.get().length());
                }
            }
        }
        int dot = name.lastIndexOf('.');
        return dot <= 0 ? name : name.substring(0, dot);
    }
}
