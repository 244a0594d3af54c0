package io.forebay.sidecar.flush;

import io.forebay.api.job.Job;
import io.forebay.sidecar.store.OwnNames;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Outputs that must not be published, whoever would publish them, early or after the last step. Pure.
 *
 * <p>A symbolic link that would point at nothing once the item has left the buffer (to its input, its work folder, or by a whole path to
 * another output) would be called durable, and what it stands for would be lost. A file at a name among the job's own records would
 * destroy what tells the truth about the job, and so it would in a folder where other jobs may have theirs.
 */
public final class OutputRefusal {
    private OutputRefusal() {}

    /**
     * @param out the item's {@code $(OUT)}, absolute: TIER/items/ITEM/out
     * @return of the first such output: which one, why, and what to do
     */
    public static Optional<String> first(List<OutputFile> files, Job job, Path out) {
        var records = job.records().resolve(job.name() + "/");
        var tier = out.resolve("../../..").normalize();
        for (var file : files) {
            var target = file.meta().linkTarget();
            if (target != null && leadsIntoBuffer(file, target, out, tier)) {
                return Optional.of(
                        "$(OUT)/" + file.relative() + " is a symbolic link to " + target
                                + ", which goes with the item; copy what it stands for (cp -L), or link by a relative path inside $(OUT)");
            }
            if (records.contains(file.to())) {
                return Optional.of(
                        "$(OUT)/" + file.relative() + " would become " + file.to()
                                + ", among the records of the job (spec.records); give it another name, or the output another path");
            }
            var own = OwnNames.within(file.to().path());
            if (own.isPresent()) {
                return Optional.of(
                        "$(OUT)/" + file.relative() + " would become " + file.to() + ", and " + own.get() + " is "
                                + (OwnNames.isRecords(own.get())
                                        ? "a folder for records of jobs, this one's or another's"
                                        : "a name that Forebay's temporary files have")
                                + "; give it another name, or the output another path");
            }
        }
        return Optional.empty();
    }

    private static boolean leadsIntoBuffer(OutputFile file, String target, Path out, Path tier) {
        try {
            var whole = out.resolve(file.relative()).resolveSibling(target).normalize();
            return whole.startsWith(tier) && (target.startsWith("/") || !whole.startsWith(out));
        } catch (InvalidPathException e) {
            return false; // no path of ours
        }
    }
}
