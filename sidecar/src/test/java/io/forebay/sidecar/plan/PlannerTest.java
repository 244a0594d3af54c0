package io.forebay.sidecar.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Input;
import io.forebay.api.job.Job.Medium;
import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.api.job.Job.Tier;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.records.StoreRetry;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import io.forebay.testing.CoordinatorRig;
import io.forebay.testing.CoordinatorRig.JobMaker;
import io.forebay.testing.ListingOnly;
import io.forebay.testing.RecordsMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlannerTest {
    @TempDir
    Path scratch;

    private final RecordsMemoryStore bucket = new RecordsMemoryStore();
    private final JobMaker maker = new JobMaker();

    private Plan plan() throws Exception {
        return plan(maker.job());
    }

    private Plan plan(Job job) throws Exception {
        var retry = new StoreRetry(Duration.ofSeconds(60), new Random(1), d -> {});
        return new Planner(job, CoordinatorRig.storesOf(bucket), retry, scratch, line -> {}).plan();
    }

    private void put(String... keys) {
        for (var key : keys) {
            bucket.set(key, key);
        }
    }

    private static List<String> keys(Plan plan) {
        var keys = new ArrayList<String>();
        for (int i = 0; i < plan.size(); i++) {
            keys.add(plan.item(i).key());
        }
        return keys;
    }

    @Test
    @DisplayName(
            "G1 include and exclude give the exact set, in order; only the fixed prefix is listed; records are no inputs, names like ours are")
    void selection() throws Exception {
        put(
                "in/sub/b.nii.gz",
                "in/sub/a.nii.gz",
                "in/sub/tmp/c.nii.gz",
                "in/sub/d.txt",
                "in/other/e.nii.gz",
                "in/sub/.forebay/f.nii.gz",
                "in/sub/.fb-0123.nii.gz",
                "in/sub/deep/er/g.nii.gz");
        maker.include = List.of(Glob.parse("sub/**/*.nii.gz"));
        maker.exclude = List.of(Glob.parse("sub/tmp/**"));
        var listed = new ArrayList<String>();
        bucket.before((operation, key) -> listed.add(operation + " " + key));
        try (var plan = plan()) {
            assertThat(keys(plan))
                    .containsExactly("sub/.fb-0123.nii.gz", "sub/a.nii.gz", "sub/b.nii.gz", "sub/deep/er/g.nii.gz");
            assertThat(plan.totals().files()).isEqualTo(4);
            assertThat(plan.item(1).inputs())
                    .singleElement()
                    .satisfies(i -> assertThat(i.uri()).isEqualTo("s3://bucket/in/sub/a.nii.gz"));
        }
        assertThat(listed).as("nothing is read to plan").containsExactly("list in/");
    }

    @Test
    @DisplayName(
            "G1 of names that begin like ours only our temporary files' whole form is left out, and named; it is no failure")
    void ownTemporaryNames() throws Exception {
        var own = List.of(
                ".fb-0123abcd-0123456789abcdef01", ".fb-1f2af-0123456789abcdef01", "sub/.fb-o-0123456789abcdef");
        own.forEach(name -> put("in/" + name));
        put("in/.fb-notes.dat", "in/.fb-data/x", "in/sub/.fb-0123abcd-0123456789abcdef01.nii");
        try (var plan = plan()) {
            assertThat(keys(plan))
                    .containsExactlyInAnyOrder(
                            ".fb-notes.dat", ".fb-data/x", "sub/.fb-0123abcd-0123456789abcdef01.nii");
            assertThat(plan.leftOut().stream().map(LeftOut::key)).containsExactlyInAnyOrderElementsOf(own);
            assertThat(plan.leftOut())
                    .noneMatch(LeftOut::unusable)
                    .allMatch(l -> l.why().contains("temporary"));
            assertThat(plan.totals().outsideGroups()).isEqualTo(3);
            assertThat(plan.totals().unusable()).isZero();
        }
    }

    @Test
    @DisplayName("G2 patterns that match nothing: NoInputs with pattern and number of keys seen")
    void nothingMatches() {
        put("in/a.txt", "in/b.txt");
        maker.include = List.of(Glob.parse("*.nii"));
        assertThatThrownBy(this::plan).isInstanceOfSatisfying(CoordinatorException.class, e -> {
            assertThat(e.code()).isEqualTo(ExitCode.NO_INPUT);
            assertThat(e.reason()).isEqualTo("NoInputs");
            assertThat(e).hasMessageContaining("none of 2 keys below s3://bucket/in/ matches *.nii");
        });
    }

    @Test
    @DisplayName("G3 files outside any group are left out by name; groups have all their files")
    void groups() throws Exception {
        put(
                "in/sub-01/anat/t1.nii",
                "in/sub-01/func/bold.nii",
                "in/sub-02/anat/t1.nii",
                "in/participants.tsv",
                "in/derivatives/x.txt",
                "in/ds2/sub-01/t1.nii",
                "in/sub-01x/y",
                "in/sub-01.txt");
        maker.groupBy = Optional.of(Glob.parse("sub-*"));
        try (var plan = plan()) {
            assertThat(keys(plan)).containsExactlyInAnyOrder("sub-01", "sub-01x", "sub-02", "ds2/sub-01");
            var first = plan.item(keys(plan).indexOf("sub-01"));
            assertThat(first.inputs().stream().map(ItemInput::relative))
                    .containsExactly("sub-01/anat/t1.nii", "sub-01/func/bold.nii");
            assertThat(plan.totals().outsideGroups()).isEqualTo(3);
            assertThat(plan.leftOut().stream().map(LeftOut::key))
                    .containsExactlyInAnyOrder("participants.tsv", "derivatives/x.txt", "sub-01.txt");
            assertThat(plan.leftOut()).noneMatch(LeftOut::unusable);
        }
    }

    @Test
    @DisplayName(
            "G3 a groupBy of several levels matches folders by their path or its end; the outermost folder that it matches is the group")
    void groupsOfSeveralLevels() throws Exception {
        put(
                "in/sub-01/ses-1/anat/t1.nii",
                "in/sub-01/ses-1/func/bold.nii",
                "in/sub-01/ses-2/t1.nii",
                "in/sub-01/notes.txt",
                "in/ds2/sub-02/ses-1/t1.nii",
                "in/top");
        maker.groupBy = Optional.of(Glob.parse("sub-*/ses-*"));
        try (var plan = plan()) {
            assertThat(keys(plan)).containsExactly("ds2/sub-02/ses-1", "sub-01/ses-1", "sub-01/ses-2");
            assertThat(plan.item(1).inputs().stream().map(ItemInput::relative))
                    .containsExactly("sub-01/ses-1/anat/t1.nii", "sub-01/ses-1/func/bold.nii");
            assertThat(plan.leftOut().stream().map(LeftOut::key)).containsExactlyInAnyOrder("sub-01/notes.txt", "top");
        }
        maker.groupBy = Optional.of(Glob.parse("*/*"));
        try (var plan = plan()) {
            assertThat(keys(plan)).containsExactly("ds2/sub-02", "sub-01/ses-1", "sub-01/ses-2");
        }
    }

    @Test
    @DisplayName("G3 a groupBy that matches no folder: NoInputs names it, and does not blame include")
    void groupByMatchesNothing() {
        put("in/sub-01/a", "in/sub-02/b");
        maker.groupBy = Optional.of(Glob.parse("subject-*"));
        assertThatThrownBy(this::plan).isInstanceOfSatisfying(CoordinatorException.class, e -> {
            assertThat(e.code()).isEqualTo(ExitCode.NO_INPUT);
            assertThat(e)
                    .hasMessage(
                            "input chunks: none of 2 files below s3://bucket/in/ lies in a folder that groupBy subject-*"
                                    + " matches. Correct source or groupBy");
        });
    }

    @Test
    @DisplayName("without forEach the job is one item, and all inputs are shared")
    void oneItem() throws Exception {
        put("in/a", "in/b");
        maker.forEach = false;
        try (var plan = plan()) {
            assertThat(keys(plan)).containsExactly("increment");
            assertThat(plan.shared().stream().map(ItemInput::relative)).containsExactly("a", "b");
            assertThat(plan.totals().sharedFiles()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("a source that is one file, and one without a trailing slash")
    void oneFile() throws Exception {
        put("in/a", "atlas/brain.nii", "flat/x/y");
        maker.moreInputs.add(new Input(
                "atlas", StoreUri.parse("s3://bucket/atlas/brain.nii"), List.of(), List.of(), SymlinkPolicy.FOLLOW));
        maker.moreInputs.add(
                new Input("flat", StoreUri.parse("s3://bucket/flat"), List.of(), List.of(), SymlinkPolicy.FOLLOW));
        try (var plan = plan()) {
            assertThat(plan.shared().stream().map(ItemInput::relative)).containsExactly("brain.nii", "x/y");
        }
    }

    @Test
    @DisplayName("I2 a source that is missing or denied: 65 with what the store says, at once")
    void deniedSource() {
        var calls = new AtomicInteger();
        bucket.before((operation, key) -> {
            calls.incrementAndGet();
            throw new StoreException(Kind.DENIED, "403 AccessDenied as user nobody");
        });
        assertThatThrownBy(this::plan).isInstanceOfSatisfying(CoordinatorException.class, e -> {
            assertThat(e.code()).isEqualTo(ExitCode.NO_INPUT);
            assertThat(e.reason()).isEqualTo("AccessDenied");
            assertThat(e).hasMessageContaining("s3://bucket/in/").hasMessageContaining("as user nobody");
        });
        assertThat(calls).hasValue(1);
    }

    @Test
    @DisplayName("I3 a listing that fails three times is begun again, never half; for ever: 75, never an empty set")
    void flakyListing() throws Exception {
        put("in/a", "in/b", "in/c");
        var calls = new AtomicInteger();
        var flaky = new HalfListing(bucket, 3, calls);
        var retry = new StoreRetry(Duration.ofSeconds(60), new Random(1), d -> {});
        try (var plan = new Planner(maker.job(), CoordinatorRig.storesOf(flaky), retry, scratch, line -> {}).plan()) {
            assertThat(keys(plan)).containsExactly("a", "b", "c");
            assertThat(plan.totals().files()).isEqualTo(3);
        }
        assertThat(calls).hasValue(4);
        var dead = new HalfListing(bucket, Integer.MAX_VALUE, calls);
        assertThatThrownBy(() ->
                        new Planner(maker.job(), CoordinatorRig.storesOf(dead), retry, scratch, line -> {}).plan())
                .isInstanceOfSatisfying(
                        CoordinatorException.class, e -> assertThat(e.code()).isEqualTo(ExitCode.PASSING));
    }

    /** Lists everything twice; the second time it may tell another size. */
    private Store twice(long more) {
        return new ListingOnly() {
            @Override
            public String where() {
                return "http://strange:9000";
            }

            @Override
            public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
                bucket.list(request, sink);
                bucket.list(request, new EntrySink() {
                    @Override
                    public void found(Entry entry) throws StoreException, InterruptedException {
                        var v = (Version.S3) entry.version();
                        var again = new Version.S3(
                                v.key(), v.size() + more, v.etag(), v.versionId(), v.lastModifiedMillis() + 1000);
                        sink.found(new Entry(entry.key(), entry.kind(), again, entry.meta()));
                    }

                    @Override
                    public void leftOut(String key, String why) {
                        sink.leftOut(key, why);
                    }
                });
            }
        };
    }

    @Test
    @DisplayName("O5 a key that the server lists twice is taken once, alone, in a group and as shared input")
    void listedTwice() throws Exception {
        put("in/x/a", "in/x/b", "in/y/c");
        maker.moreInputs.add(
                new Input("shared", StoreUri.parse("s3://bucket/in/x"), List.of(), List.of(), SymlinkPolicy.FOLLOW));
        var retry = new StoreRetry(Duration.ofSeconds(60), new Random(1), d -> {});
        try (var plan =
                new Planner(maker.job(), CoordinatorRig.storesOf(twice(0)), retry, scratch, line -> {}).plan()) {
            assertThat(keys(plan)).containsExactly("x/a", "x/b", "y/c");
            assertThat(plan.shared().stream().map(ItemInput::relative)).containsExactly("a", "b");
            assertThat(plan.totals().sharedFiles()).isEqualTo(2);
            assertThat(plan.totals().files()).isEqualTo(5);
        }
        maker.groupBy = Optional.of(Glob.parse("*"));
        try (var plan =
                new Planner(maker.job(), CoordinatorRig.storesOf(twice(0)), retry, scratch, line -> {}).plan()) {
            assertThat(keys(plan)).containsExactly("x", "y");
            assertThat(plan.item(0).inputs()).hasSize(2);
        }
    }

    @Test
    @DisplayName(
            "O5 a key that is listed twice with two sizes is an error that names server, prefix and key, not a fault of ours")
    void listedTwiceDifferently() {
        put("in/a");
        var retry = new StoreRetry(Duration.ofSeconds(60), new Random(1), d -> {});
        assertThatThrownBy(() ->
                        new Planner(maker.job(), CoordinatorRig.storesOf(twice(1)), retry, scratch, line -> {}).plan())
                .isInstanceOfSatisfying(CoordinatorException.class, e -> {
                    assertThat(e.code()).isEqualTo(ExitCode.NO_INPUT);
                    assertThat(e).hasMessageContainingAll("s3://bucket/in/", "http://strange:9000", "key a twice");
                });
    }

    @Test
    @DisplayName(
            "I3 a listing that takes long tells that no answer comes, why it was tried again, and how many objects came")
    void slowListing() throws Exception {
        put("in/a", "in/b");
        var lines = new LinkedBlockingQueue<String>();
        var silent = new ListingOnly() {
            private int tries;

            @Override
            public String where() {
                return "http://silent:9000";
            }

            @Override
            public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
                var at = "listing s3://bucket/in/ at http://silent:9000: ";
                if (tries++ == 0) {
                    await(at + "no answer yet");
                    throw new StoreException(
                            Kind.TRANSIENT,
                            "cannot list s3://bucket/in/ at http://silent:9000: the server sent no byte");
                }
                await(at + "no answer yet, tried again: the server sent no byte");
                bucket.list(request, sink);
                await(at + "2 objects listed so far");
                sink.triedAgain(new StoreException(Kind.TRANSIENT, "broken off"));
                await(at + "no answer since 2 objects, tried again: broken off");
            }

            private void await(String expected) throws InterruptedException {
                String line;
                do {
                    line = lines.poll(20, TimeUnit.SECONDS);
                } while (line != null && !line.equals(expected));
                assertThat(line).isEqualTo(expected);
            }
        };
        var retry = new StoreRetry(Duration.ofSeconds(60), new Random(1), d -> {});
        var planner = new Planner(
                maker.job(), CoordinatorRig.storesOf(silent), retry, scratch, lines::add, Duration.ofMillis(20));
        try (var plan = planner.plan()) {
            assertThat(keys(plan)).containsExactly("a", "b");
        }
    }

    @Test
    @DisplayName("M5 an input larger than every tier is refused with both sizes")
    void tooLarge() {
        bucket.set("in/big", new byte[3000]);
        maker.tiers =
                List.of(new Tier(Medium.MEMORY, Bytes.of(1000), null), new Tier(Medium.DISK, Bytes.of(2048), null));
        assertThatThrownBy(this::plan).isInstanceOfSatisfying(CoordinatorException.class, e -> {
            assertThat(e.code()).isEqualTo(ExitCode.NO_INPUT);
            assertThat(e.reason()).isEqualTo("DataTooLarge");
            assertThat(e)
                    .hasMessageContaining("item big")
                    .hasMessageContaining("3000 bytes")
                    .hasMessageContaining("2048 bytes");
        });
    }

    @Test
    @DisplayName("N3 selected keys that can be no input are counted and named; those that no pattern selects are not")
    void unusableKeys() throws Exception {
        put("in/a");
        var strange = new HalfListing(bucket, 0, new AtomicInteger()).leavingOut("in/../x", "key leaves the prefix");
        var retry = new StoreRetry(Duration.ofSeconds(60), new Random(1), d -> {});
        try (var plan = new Planner(maker.job(), CoordinatorRig.storesOf(strange), retry, scratch, line -> {}).plan()) {
            assertThat(plan.totals().unusable()).isEqualTo(1);
            assertThat(plan.leftOut()).singleElement().satisfies(l -> {
                assertThat(l.key()).isEqualTo("../x");
                assertThat(l.unusable()).isTrue();
            });
        }
        maker.include = List.of(Glob.parse("a"));
        try (var plan = new Planner(maker.job(), CoordinatorRig.storesOf(strange), retry, scratch, line -> {}).plan()) {
            assertThat(plan.totals().unusable()).isZero();
        }
    }

    @Test
    @DisplayName(
            "items whose output has one name, or whose names in `to` and `path` do not tell them apart, are warned of; a pattern like *.nii is not")
    void warnings() throws Exception {
        put("in/a/x.nii", "in/a/y.nii", "in/b/x.nii");
        maker.path = "*.nii";
        try (var plan = plan()) {
            assertThat(plan.totals().warnings()).isEmpty();
        }
        maker.path = "result.nii";
        try (var plan = plan()) {
            assertThat(plan.totals().warnings())
                    .singleElement()
                    .asString()
                    .contains("output result")
                    .contains("a/y.nii");
        }
        maker.to = "s3://bucket/out/$(ITEM)/";
        try (var plan = plan()) {
            assertThat(plan.totals().warnings()).isEmpty();
        }
        maker.to = "s3://bucket/out/";
        maker.path = "$(STEM).out";
        try (var plan = plan()) {
            assertThat(plan.totals().warnings()).singleElement().asString().contains("b/x.nii");
        }
        maker.path = "$(STEM)-*.nii";
        try (var plan = plan()) {
            assertThat(plan.totals().warnings()).singleElement().asString().contains("b/x.nii");
        }
    }

    @Test
    @DisplayName("an output that the next run would take for an input is warned of, unless it is excluded")
    void outputFeedsInput() throws Exception {
        put("in/a/x.nii", "in/a/y.nii");
        maker.to = "s3://bucket/in/$(DIR)/";
        maker.path = "$(STEM)-smooth.nii";
        try (var plan = plan()) {
            assertThat(plan.totals().warnings())
                    .singleElement()
                    .asString()
                    .contains("output result goes to s3://bucket/in/")
                    .contains("the next run would take it as an input");
        }
        maker.exclude = List.of(Glob.parse("**/*-smooth.nii"));
        try (var plan = plan()) {
            assertThat(plan.totals().warnings()).isEmpty();
        }
    }

    @Test
    @DisplayName("an item's identity: key, inputs, steps and output rules; not buffer, retries or deadlines")
    void identity() throws Exception {
        put("in/a", "in/b", "in/c", "shared/s");
        maker.moreInputs.add(
                new Input("atlas", StoreUri.parse("s3://bucket/shared/"), List.of(), List.of(), SymlinkPolicy.FOLLOW));
        var before = ids();
        maker.retryItem = 9;
        maker.tiers = List.of(new Tier(Medium.DISK, Bytes.ofGiB(9), null));
        maker.runDeadline = Optional.of(Duration.ofHours(1));
        assertThat(ids()).isEqualTo(before);

        bucket.set("in/b", "x");
        var changed = ids();
        assertThat(changed.get(0)).isEqualTo(before.get(0));
        assertThat(changed.get(1)).isNotEqualTo(before.get(1));
        assertThat(changed.get(2)).isEqualTo(before.get(2));

        maker.to = "s3://elsewhere/$(DIR)/";
        assertThat(ids()).doesNotContainAnyElementsOf(changed);
        maker.to = "s3://bucket/out/$(DIR)/";
        bucket.set("shared/s", "other");
        assertThat(ids()).doesNotContainAnyElementsOf(changed);
    }

    private List<String> ids() throws Exception {
        try (var plan = plan()) {
            var ids = new ArrayList<String>();
            for (int i = 0; i < plan.size(); i++) {
                assertThat(plan.idOf(i)).isEqualTo(plan.item(i).id());
                ids.add(plan.item(i).id());
            }
            return ids;
        }
    }
}
