package io.forebay.sidecar.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.records.LogEntry.NewGeneration;
import io.forebay.sidecar.store.s3.Environment;
import io.forebay.sidecar.store.s3.S3Store;
import io.forebay.testing.S3ProxyServer;
import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import io.forebay.testing.SlowProxy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The log of objects on S3 servers: many writers at once, faults, and how many objects and requests it takes. */
@Timeout(120)
class ObjectLogServersIT {
    private static final int WRITERS = 16;
    private static final int EACH = 60;
    private static final LogObjects OBJECTS = new LogObjects(8, 1 << 20, 6, true);

    private static S3Store store(URI endpoint) throws Exception {
        var root = StoreUri.parse("s3://bucket");
        var access = new StoreAccess(
                root,
                endpoint.toString(),
                "us-east-1",
                null,
                null,
                false,
                Optional.of(true),
                null,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        var env = new Environment(
                Map.of(
                        "AWS_ACCESS_KEY_ID",
                        S3ProxyServer.ACCESS_KEY,
                        "AWS_SECRET_ACCESS_KEY",
                        S3ProxyServer.SECRET_KEY),
                Path.of("/nonexistent"));
        return S3Store.open(root, access, env);
    }

    /** Each writer waits for each of its entries. */
    private static void writeAll(RecordLog log) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writers = new ArrayList<Future<?>>();
            for (int w = 0; w < WRITERS; w++) {
                int writer = w;
                writers.add(threads.submit(() -> {
                    for (int i = 0; i < EACH; i++) {
                        log.await(log.append(new NewGeneration("%032d".formatted(writer), writer, i)));
                    }
                    return null;
                }));
            }
            for (var writer : writers) {
                writer.get();
            }
        }
    }

    private static void assertAllThere(RecordsFolder folder) throws Exception {
        var found = new TreeMap<Long, List<Integer>>();
        new ObjectLogReader(folder, 1, Long.MAX_VALUE, (line, from, to) -> {
                    var entry = (NewGeneration) LogFormat.parse(line, from, to);
                    found.computeIfAbsent(entry.item(), i -> new ArrayList<>()).add(entry.generation());
                })
                .read();
        assertThat(found).hasSize(WRITERS);
        found.forEach((writer, entries) -> {
            assertThat(entries).as("entries of writer %d", writer).hasSize(EACH);
            assertThat(entries).isSorted().doesNotHaveDuplicates();
        });
    }

    @Test
    @DisplayName(
            "R6 O4 on s3proxy: what was awaited is there once, in few objects, and is read by the next coordinator")
    void realServer() throws Exception {
        try (var server = S3ProxyServer.inMemory("bucket");
                var store = store(server.endpoint())) {
            var folder = ObjectLogFixture.folder(store, OBJECTS);
            try (var log = new RecordLog(new ObjectLogSink(folder, 1), () -> false, Duration.ZERO)) {
                writeAll(log);
            }
            assertAllThere(folder);
        }
    }

    @Test
    @DisplayName("R6 answers of PUTs are lost, others are 503, DELETEs fail: what was awaited is there once, in order")
    void faults() throws Exception {
        try (var server = ScriptedS3.start("bucket");
                var store = store(server.endpoint())) {
            var puts = new AtomicInteger();
            var lost = server.on(r -> r.isData("PUT") && puts.incrementAndGet() % 5 == 0, (request, objects) -> {
                objects.answer(request);
                return Answer.drop();
            });
            var slowDown = server.on(
                    r -> r.isData("PUT") && puts.incrementAndGet() % 7 == 0,
                    (request, objects) -> Answer.error(503, "SlowDown"));
            var notDeleted = server.on(
                    r -> r.method().equals("DELETE") && r.key().hashCode() % 3 == 0,
                    (request, objects) -> Answer.error(503, "SlowDown"),
                    20);
            var folder = ObjectLogFixture.folder(store, OBJECTS);
            try (var log = new RecordLog(new ObjectLogSink(folder, 1), () -> false, Duration.ZERO)) {
                writeAll(log);
            }
            assertThat(lost.struck()).isPositive();
            assertThat(slowDown.struck()).isPositive();
            assertThat(notDeleted.struck()).isPositive();
            server.behave();
            assertAllThere(folder);
        }
    }

    @Test
    @DisplayName("Z5 over a line of 20 ms: no more objects than round trips, and a replay asks for each about once")
    void requests() throws Exception {
        var roundTrip = Duration.ofMillis(20);
        try (var server = ScriptedS3.start("bucket");
                var line = new SlowProxy(server.endpoint(), roundTrip, 0);
                var store = store(line.endpoint())) {
            var folder = ObjectLogFixture.folder(store, OBJECTS);
            long began = System.nanoTime();
            try (var log = new RecordLog(new ObjectLogSink(folder, 1), () -> false, Duration.ZERO)) {
                writeAll(log);
            }
            long trips = (System.nanoTime() - began) / roundTrip.toNanos();
            long batches = server.count(r -> r.isData("PUT") && !r.key().contains("merged"));
            long merges = server.count(r -> r.isData("PUT") && r.key().contains("merged"));
            assertThat(batches)
                    .as("objects of batches")
                    .isLessThanOrEqualTo(trips + 1)
                    .isLessThan(WRITERS * EACH / 4);
            assertThat(merges).as("merges").isBetween(1L, batches / OBJECTS.batches());

            int before = server.requests().size();
            assertAllThere(folder);
            int asked = server.requests().size() - before;
            int there = server.objects().keys().size();
            System.out.println("[records] " + WRITERS * EACH + " entries, " + trips + " round trips, " + batches
                    + " batches, " + merges + " merges, " + there + " objects left, read with " + asked + " requests");
            assertThat(there).isLessThan((int) batches / 2);
            // Those that are not there end a search: at most as many as are read ahead, of either kind, and the last
            // look.
            assertThat(asked).isLessThanOrEqualTo(there + 2 * OBJECTS.ahead() + 1);
        }
    }

    @Test
    @DisplayName("C5 a log of 10,000 batches over a line of 20 ms is replayed with fewer than 70 requests")
    void longLog() throws Exception {
        int batches = 10_000;
        var rule = LogObjects.DEFAULT;
        try (var server = ScriptedS3.start("bucket");
                var line = new SlowProxy(server.endpoint(), Duration.ofMillis(20), 0);
                var store = store(line.endpoint())) {
            var folder = ObjectLogFixture.folder(store, rule);
            int merged = 0;
            var gathered = new java.io.ByteArrayOutputStream();
            for (int batch = 1; batch <= batches; batch++) {
                gathered.writeBytes(ObjectLogFixture.batch(batch));
                if (batch % rule.batches() == 0) {
                    var name = ObjectLogFixture.FOLDER + LogObjects.merged(1, ++merged);
                    server.objects().put(name, gathered.toByteArray());
                    gathered.reset();
                } else if (batch > batches - batches % rule.batches()) {
                    var name = ObjectLogFixture.FOLDER + LogObjects.batch(1, batch);
                    server.objects().put(name, ObjectLogFixture.batch(batch));
                }
            }
            long began = System.nanoTime();
            var read = ObjectLogFixture.readAll(folder);
            System.out.printf(
                    "[records] %d batches replayed in %.2f s with %d requests%n",
                    batches,
                    (System.nanoTime() - began) / 1e9,
                    server.requests().size());
            assertThat(read.batches()).isEqualTo(batches);
            assertThat(read.isWhole()).isTrue();
            int there = server.objects().keys().size();
            assertThat(server.requests().size()).isBetween(there, there + 2 * rule.ahead() + 1);
        }
    }
}
