package io.forebay.sidecar.plan;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Input;
import io.forebay.api.job.Job.Output;
import io.forebay.sidecar.item.ItemNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Finds outputs that the next run would take for inputs: they are written below an input's source, and its patterns select them. Judged
 * by one item, whose name stands in for what the output's own pattern leaves open. Pure.
 */
final class OutputFeedsInput {
    private OutputFeedsInput() {}

    /** @param key of any item of the plan */
    static List<String> warnings(Job job, String key) {
        var found = new ArrayList<String>();
        var names = ItemNames.variables(job, key);
        for (var output : job.outputs()) {
            for (var input : job.inputs()) {
                if (feeds(output, input, names)) {
                    found.add("output " + output.name() + " goes to " + output.fixedDestination()
                            + ", below the source of input "
                            + input.name() + " (" + input.source()
                            + "), whose include and exclude select it: the next run would take it as an input. Exclude it there, or write it"
                            + " elsewhere");
                }
            }
        }
        return found;
    }

    private static boolean feeds(Output output, Input input, Map<String, String> names) {
        var to = output.destination(names);
        // A source without a slash at its end may be a file; then nothing can lie below it.
        var source = input.source().resolve("");
        if (!source.contains(to)) {
            return false;
        }
        var sample = names.getOrDefault("NAME", "x");
        var file = output.pathGlob(names)
                .pattern()
                .replace("**", sample)
                .replace("*", sample)
                .replace("?", "x");
        var relative = to.resolve(file).path().substring(source.path().length());
        return (input.include().isEmpty() || input.include().stream().anyMatch(g -> g.matches(relative)))
                && input.exclude().stream().noneMatch(g -> g.matches(relative));
    }
}
