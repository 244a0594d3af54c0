package io.forebay.sidecar.store.s3;

import io.forebay.testing.VersityGw;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/**
 * The figures of docs/decisions/0003-lean-s3-path.md: small and large objects from versitygw, through our own HTTP and through
 * the SDK. Run by hand; arguments: lean or sdk, folder on a tmpfs.
 */
final class DataPathBenchmark {
    private static final int SMALL = 2_000;
    private static final int STREAMS = 16;
    private static final int LARGE_MIB = 512;
    private static final int RANGE = 64 << 20;

    private DataPathBenchmark() {}

    public static void main(String[] args) throws Exception {
        var folder = Path.of(args[1]);
        var data = Files.createDirectories(folder.resolve("data/bench"));
        var random = new Random(1);
        var piece = new byte[1 << 20];
        for (int i = 0; i < SMALL; i++) {
            random.nextBytes(piece);
            Files.write(data.resolve("small-" + i), java.util.Arrays.copyOf(piece, 10 * 1024));
        }
        try (var out = Files.newOutputStream(data.resolve("large"))) {
            for (int i = 0; i < LARGE_MIB; i++) {
                random.nextBytes(piece);
                out.write(piece);
            }
        }
        try (var server = VersityGw.start(folder, "bench");
                var store = S3Store.connect(
                        TestStores.settings(server.endpoint(), "bench"),
                        TestStores.identity(),
                        Optional.empty(),
                        DataPath.Kind.valueOf(args[0].toUpperCase(java.util.Locale.ROOT)))) {
            for (int round = 0; round < 3; round++) {
                System.out.printf("%s GET %d x 10 KiB: %s%n", args[0], SMALL, small(store));
                System.out.printf("%s GET %d MiB in ranges: %s%n", args[0], LARGE_MIB, large(store));
                System.out.printf("%s PUT %d x 10 KiB: %s%n", args[0], SMALL, puts(store));
            }
        }
    }

    private static String small(S3Store store) throws Exception {
        List<Callable<Object>> gets = new ArrayList<>();
        for (int i = 0; i < SMALL; i++) {
            var key = "small-" + i;
            gets.add(() -> store.get(key, 20_000));
        }
        return timed(gets);
    }

    private static String large(S3Store store) throws Exception {
        var version = store.stat("large").version();
        List<Callable<Object>> ranges = new ArrayList<>();
        for (long at = 0; at < version.size(); at += RANGE) {
            long offset = at;
            ranges.add(() -> store.read(
                    version,
                    offset,
                    Math.min(RANGE, version.size() - offset),
                    ByteBuffer.allocateDirect(1 << 20),
                    (o, p) -> {}));
        }
        return timed(ranges);
    }

    private static String puts(S3Store store) throws Exception {
        var bytes = new byte[10 * 1024];
        List<Callable<Object>> puts = new ArrayList<>();
        for (int i = 0; i < SMALL; i++) {
            int n = i;
            puts.add(() -> {
                store.put("put-" + n, bytes);
                return n;
            });
        }
        return timed(puts);
    }

    private static String timed(List<Callable<Object>> calls) throws Exception {
        long start = System.nanoTime();
        var cpu = cpu();
        var permits = new Semaphore(STREAMS);
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<Object>>();
            for (var call : calls) {
                permits.acquire();
                all.add(pool.submit(() -> {
                    try {
                        return call.call();
                    } finally {
                        permits.release();
                    }
                }));
            }
            for (var one : all) {
                one.get();
            }
        }
        return (System.nanoTime() - start) / 1_000_000 + " ms, CPU "
                + cpu().minus(cpu).toMillis() + " ms";
    }

    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
    }
}
