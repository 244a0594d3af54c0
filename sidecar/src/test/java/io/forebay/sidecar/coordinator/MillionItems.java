package io.forebay.sidecar.coordinator;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.LeaseRequest;
import io.forebay.message.Messages.Register;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Staging;
import io.forebay.message.Messages.Timing;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Stores;
import io.forebay.sidecar.store.Version;
import io.forebay.sidecar.store.posix.PosixStore;
import io.forebay.testing.CoordinatorRig.JobMaker;
import io.forebay.testing.ListingOnly;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Plans, leases and completes very many items, as a program of its own, so that its memory can be limited and measured: {@code
 * MillionItems FOLDER ITEMS}. Prints what took how long, and its peak memory. Run in the same folder again it finds all done.
 */
public final class MillionItems {
    private static final int THREADS = 256;
    private static final int LEASED_AT_ONCE = 64;

    private MillionItems() {}

    public static void main(String[] args) throws Exception {
        var folder = Path.of(args[0]);
        int items = Integer.parseInt(args[1]);
        var scratch = Files.createDirectories(folder.resolve("scratch"));
        var maker = new JobMaker();
        maker.records = StoreUri.parse("file://" + folder.resolve("records") + "/");
        maker.to = "file://" + folder.resolve("out") + "/$(DIR)/";
        var job = maker.job();
        var stores = new Stores(
                List.of(),
                (root, access) -> root.scheme().isPosix() ? PosixStore.open(root.scheme()) : new Listing(items));
        long began = System.nanoTime();
        try (stores;
                var coordinator = Coordinator.open(job, stores, CoordinatorOptions.local(RunMode.RUN, scratch))) {
            coordinator.start();
            tell("planned " + coordinator.plan().size(), began);
            coordinator.notices().forEach(System.out::println);
            began = System.nanoTime();
            coordinator.register(new Register("local", "one", "node", THREADS, List.of()));
            carry(coordinator);
            tell("carried", began);
            began = System.nanoTime();
            var summary = coordinator.await();
            tell("ended with " + summary.code() + ", done " + summary.done() + ", skipped " + summary.skipped(), began);
        }
        System.out.println(Files.readString(Path.of("/proc/self/status"))
                .lines()
                .filter(l -> l.startsWith("VmHWM"))
                .findFirst()
                .orElse(""));
    }

    private static void tell(String what, long began) {
        System.out.printf("%s in %.1f s%n", what, (System.nanoTime() - began) / 1e9);
    }

    private static void carry(Coordinator coordinator) throws Exception {
        var done = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<?>>();
            for (int i = 0; i < THREADS; i++) {
                all.add(threads.submit(() -> {
                    while (true) {
                        var leases = coordinator.lease(
                                new LeaseRequest("local", "one", coordinator.generation(), LEASED_AT_ONCE, 0));
                        for (var lease : leases.items()) {
                            carry(coordinator, lease);
                            done.incrementAndGet();
                        }
                        if (leases.items().isEmpty()) {
                            return null;
                        }
                    }
                }));
            }
            for (var one : all) {
                one.get();
            }
        }
    }

    private static void carry(Coordinator coordinator, ItemLease lease) throws Exception {
        var output = new StagedOutput(
                "result",
                lease.key(),
                "file:///out/" + lease.key(),
                "/out/",
                "TEMP",
                ".fb-" + lease.item(),
                List.of(),
                4096,
                "01020304",
                0644,
                1,
                null,
                false);
        var outputs = List.of(output);
        coordinator.staging(new Staging("local", "one", lease.item(), 0, lease.attempt(), outputs));
        coordinator.commit(new CommitRequest("local", "one", lease.item(), 0, lease.attempt(), true, false, outputs));
        coordinator.ended(new ItemEnded(
                "local",
                "one",
                lease.item(),
                0,
                lease.attempt(),
                null,
                List.of(io.forebay.testing.FakeWorker.run(0)),
                outputs,
                List.of(),
                new Timing(1, 2, 3, 4, 5, 6),
                List.of("01020304")));
    }

    /** An endless supply of objects, listed in no useful order. */
    private static final class Listing extends ListingOnly {
        private final int count;

        Listing(int count) {
            this.count = count;
        }

        @Override
        public void list(io.forebay.sidecar.store.ListRequest request, Store.EntrySink sink)
                throws io.forebay.sidecar.store.StoreException, InterruptedException {
            for (int i = 0; i < count; i++) {
                // A permutation: the multiplier has no factor in common with a power of ten.
                long n = i * 7_919L % count;
                var key = "in/subject-%03d/session-%02d/chunk-%07d.nii.gz".formatted(n % 500, n % 7, n);
                sink.found(new Entry(
                        key,
                        Entry.Kind.FILE,
                        new Version.S3(key, 4096, "0123456789abcdef0123456789abcdef", null, 1_700_000_000_000L + n),
                        FileMeta.UNKNOWN));
            }
        }
    }
}
