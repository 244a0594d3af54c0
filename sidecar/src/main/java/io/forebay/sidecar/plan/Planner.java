package io.forebay.sidecar.plan;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.ForEach;
import io.forebay.api.job.Job.Input;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.Glob;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.outcome.StoreFailures;
import io.forebay.sidecar.records.StoreRetry;
import io.forebay.sidecar.spool.Hash128;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the plan: lists the inputs, pins their versions, makes items in the order of their keys.
 *
 * <p>With {@code forEach} each file of that input is an item, or each group: the files below the first folder, from the source down, that
 * {@code groupBy} matches, and the item's key is the path of that folder; files below no such folder are left out, by name. The pattern
 * may match the end of the folder's path: {@code sub-*} each folder of such a name, {@code sub-*}{@code /ses-*} each with such a name in
 * a folder of such a name, wherever they lie.
 * Without {@code forEach} the job is one item, named like the job. Inputs that {@code forEach} does not name are shared.
 */
public final class Planner {
    private final Job job;
    private final Stores stores;
    private final StoreRetry retry;
    private final Path scratch;
    private final Consumer<String> tell;
    private final Duration firstLine;

    /**
     * @param scratch a local folder for the plan's files
     * @param tell gets lines for the user, from any thread, while a listing takes long
     */
    public Planner(Job job, Stores stores, StoreRetry retry, Path scratch, Consumer<String> tell) {
        this(job, stores, retry, scratch, tell, ListingWatch.FIRST);
    }

    Planner(Job job, Stores stores, StoreRetry retry, Path scratch, Consumer<String> tell, Duration firstLine) {
        this.job = job;
        this.stores = stores;
        this.retry = retry;
        this.scratch = scratch;
        this.tell = tell;
        this.firstLine = firstLine;
    }

    /**
     * Blocks until all inputs are listed.
     *
     * @throws CoordinatorException NoInputs, DataTooLarge, NotFound, AccessDenied, StoreUnavailable
     */
    public Plan plan() throws CoordinatorException, InterruptedException {
        Plan plan = null;
        try {
            plan = new Plan(scratch);
            try (var clash = new OutputClash(job, scratch)) {
                new Making(plan, clash).make();
            }
            return plan;
        } catch (IOException e) {
            throw new CoordinatorException(
                    ExitCode.FAULT,
                    "Scratch",
                    "the scratch folder " + scratch + " cannot be written: " + e.getMessage(),
                    e);
        } catch (CoordinatorException | InterruptedException | RuntimeException e) {
            if (plan != null) {
                plan.close();
            }
            throw e;
        }
    }

    /** One plan being made. */
    private final class Making {
        private final Plan plan;
        private final InputLister lister;
        private final OutputClash clash;
        private @Nullable String anyKey;
        private final long largestTier = job.buffer().tiers().stream()
                .mapToLong(t -> t.size().value())
                .max()
                .orElse(Long.MAX_VALUE);
        private long files;
        private long bytes;
        private int sharedFiles;
        private long sharedBytes;
        private long outsideGroups;
        private long unusable;
        private long noFiles;
        private final List<String> noFilesTold = new ArrayList<>();
        /** Hashes of the shared inputs so far. */
        private String sharedStrict = "";

        private String sharedLoose = "";

        Making(Plan plan, OutputClash clash) {
            this.plan = plan;
            this.clash = clash;
            this.lister = new InputLister(stores, retry, scratch, plan.leftOutSpool(), tell, firstLine);
        }

        void make() throws CoordinatorException, IOException, InterruptedException {
            var each = job.forEach();
            for (var input : job.inputs()) {
                if (each.isEmpty() || !each.get().input().equals(input.name())) {
                    share(input);
                }
            }
            plan.sharedSpool().finish();
            var maker = new ItemMaker(new Identity(job, sharedStrict), new Identity(job, sharedLoose));
            if (each.isPresent()) {
                items(each.get(), maker);
            } else {
                maker.make(job.name(), List.of());
            }
            plan.finish(new Plan.Totals(
                    plan.size(),
                    files + sharedFiles,
                    bytes + sharedBytes,
                    sharedFiles,
                    sharedBytes,
                    outsideGroups + noFiles,
                    unusable,
                    warnings()));
        }

        private List<String> warnings() {
            var all = new ArrayList<>(clash.warnings());
            all.addAll(noFilesTold);
            if (anyKey != null) {
                all.addAll(OutputFeedsInput.warnings(job, anyKey));
            }
            return all;
        }

        private void share(Input input) throws CoordinatorException, IOException, InterruptedException {
            var hash = new Hash128();
            var count = list(input, (relative, file) -> {
                plan.sharedSpool().append(file.json());
                sharedStrict =
                        hash.reset().add(sharedStrict).add(file.strict()).done().hex();
                sharedLoose =
                        hash.reset().add(sharedLoose).add(file.loose()).done().hex();
            });
            if (count.selected() == 0) {
                throw noInputs(input, count);
            }
            requireFits("input " + input.name() + " (" + input.source() + ")", count.bytes());
            sharedFiles = Math.toIntExact(sharedFiles + count.selected());
            sharedBytes += count.bytes();
            unusable += count.unusable();
        }

        private void items(ForEach each, ItemMaker maker)
                throws CoordinatorException, IOException, InterruptedException {
            var input = job.input(each.input());
            var group = new GroupBuilder(each.groupBy(), maker);
            var count = list(input, (relative, file) -> group.add(input, relative, file));
            group.end();
            if (maker.tooLarge != null) {
                throw maker.tooLarge;
            }
            if (plan.size() == 0) {
                throw noInputs(input, count);
            }
            unusable += count.unusable();
        }

        private InputLister.Count list(Input input, InputLister.Sink sink)
                throws CoordinatorException, IOException, InterruptedException {
            try {
                var count = lister.list(input, sink);
                noFiles += count.noFiles().count();
                count.noFiles().words(input.name()).ifPresent(noFilesTold::add);
                return count;
            } catch (StoreException e) {
                throw StoreFailures.ofInput(input, e);
            }
        }

        private CoordinatorException noInputs(Input input, InputLister.Count count) {
            var patterns = input.include().isEmpty()
                    ? "**"
                    : String.join(
                            ", ", input.include().stream().map(Glob::pattern).toList());
            var excluded = input.exclude().isEmpty()
                    ? ""
                    : " but not "
                            + String.join(
                                    ", ",
                                    input.exclude().stream().map(Glob::pattern).toList());
            return new CoordinatorException(
                    ExitCode.NO_INPUT,
                    "NoInputs",
                    outsideGroups > 0
                            ? "input " + input.name() + ": none of " + count.selected() + " files below "
                                    + input.source()
                                    + " lies in a folder that groupBy "
                                    + job.forEach()
                                            .flatMap(ForEach::groupBy)
                                            .map(Glob::pattern)
                                            .orElse("")
                                    + " matches. Correct source or groupBy"
                            : "input " + input.name() + ": none of "
                                    + (count.seen() - count.noFiles().count())
                                    + " keys below " + input.source() + " matches " + patterns + excluded
                                    + count.noFiles()
                                            .words(input.name())
                                            .map(w -> "; " + w)
                                            .orElse("")
                                    + ". Correct source, include or exclude",
                    null);
        }

        private void requireFits(String what, long size) throws CoordinatorException {
            if (size > largestTier) {
                throw new CoordinatorException(
                        ExitCode.NO_INPUT,
                        "DataTooLarge",
                        what + " has " + Bytes.of(size).human() + " (" + size
                                + " bytes), but the largest tier of spec.buffer has "
                                + Bytes.of(largestTier).human() + " (" + largestTier + " bytes). Enlarge a tier",
                        null);
            }
        }

        /** Puts items into the plan. */
        private final class ItemMaker {
            private final Identity strict;
            private final Identity loose;
            /** The first item that fits no tier; kept until the listing is over, since it cannot be thrown through it. */
            private @Nullable CoordinatorException tooLarge;

            ItemMaker(Identity strict, Identity loose) {
                this.strict = strict;
                this.loose = loose;
            }

            void make(String key, List<PlannedFile> inputs) throws IOException {
                long size = 0;
                for (var input : inputs) {
                    size += input.size();
                }
                try {
                    requireFits("item " + key, size);
                } catch (CoordinatorException e) {
                    tooLarge = tooLarge == null ? e : tooLarge;
                }
                files += inputs.size();
                bytes += size;
                clash.add(key);
                anyKey = key;
                plan.items()
                        .append(PlanItem.json(
                                strict.of(
                                        key,
                                        () -> inputs.stream()
                                                .map(PlannedFile::strict)
                                                .iterator()),
                                loose.of(
                                        key,
                                        () -> inputs.stream()
                                                .map(PlannedFile::loose)
                                                .iterator()),
                                key,
                                inputs));
            }
        }

        /** Files come in the order of their keys, so the files of a folder come together. */
        private final class GroupBuilder {
            private final Optional<Glob> pattern;
            private final ItemMaker maker;
            private final List<PlannedFile> group = new ArrayList<>();
            private String key = "";

            GroupBuilder(Optional<Glob> pattern, ItemMaker maker) {
                this.pattern = pattern;
                this.maker = maker;
            }

            void add(Input input, String relative, PlannedFile file) throws IOException {
                if (pattern.isEmpty()) {
                    maker.make(relative, List.of(file));
                    return;
                }
                var of = groupOf(relative);
                if (of.isEmpty()) {
                    outsideGroups++;
                    plan.leftOutSpool()
                            .append(new LeftOut(
                                    input.name(),
                                    relative,
                                    "in no folder that matches groupBy "
                                            + pattern.get().pattern(),
                                    false));
                    return;
                }
                if (!of.get().equals(key)) {
                    end();
                    key = of.get();
                }
                group.add(file);
            }

            void end() throws IOException {
                if (!group.isEmpty()) {
                    maker.make(key, group);
                    group.clear();
                }
            }

            /** The shallowest folder of which the pattern matches the path, or its end from some component on. */
            private Optional<String> groupOf(String relative) {
                var glob = pattern.orElseThrow();
                for (int end = relative.indexOf('/'); end >= 0; end = relative.indexOf('/', end + 1)) {
                    for (int start = end; start >= 0; ) {
                        start = start == 0 ? -1 : relative.lastIndexOf('/', start - 1);
                        if (glob.matches(relative.substring(start + 1, end))) {
                            return Optional.of(relative.substring(0, end));
                        }
                    }
                }
                return Optional.empty();
            }
        }
    }
}
