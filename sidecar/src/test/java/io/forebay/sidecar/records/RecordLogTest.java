package io.forebay.sidecar.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.records.LogEntry.Settled;
import io.forebay.sidecar.records.RecordLog.Ticket;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecordLogTest {
    /** Remembers batches; may fail, or hold a batch up. */
    private static final class Sink implements RecordLog.Sink {
        private final List<String> batches = new ArrayList<>();
        private final CountDownLatch writing = new CountDownLatch(1);
        private volatile CountDownLatch mayEnd = new CountDownLatch(0);
        private volatile StoreException failure;

        @Override
        public void append(long batch, byte[] bytes) throws StoreException, InterruptedException {
            writing.countDown();
            mayEnd.await();
            if (failure != null) {
                throw failure;
            }
            batches.add(batch + ":"
                    + new String(bytes, java.nio.charset.StandardCharsets.US_ASCII)
                            .lines()
                            .count());
        }

        @Override
        public void close() {}
    }

    private final Sink sink = new Sink();
    private volatile boolean successor;
    private final RecordLog log = new RecordLog(sink, () -> successor, Duration.ZERO);

    private Ticket append(String id) {
        return log.append(new Settled(id));
    }

    @Test
    @DisplayName("entries that arrive while a batch is written are the next batch, all together")
    void groupCommit() throws Exception {
        sink.mayEnd = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = append("first");
            var waits = new ArrayList<Future<?>>();
            waits.add(threads.submit(() -> {
                log.await(first);
                return null;
            }));
            sink.writing.await();
            for (int i = 0; i < 50; i++) {
                var ticket = append("more" + i);
                waits.add(threads.submit(() -> {
                    log.await(ticket);
                    return null;
                }));
            }
            sink.mayEnd.countDown();
            for (var wait : waits) {
                wait.get(10, TimeUnit.SECONDS);
            }
        }
        // The header line and the entries.
        assertThat(sink.batches).containsExactly("1:2", "2:51");
    }

    @Test
    @DisplayName("R2 an entry that is durable is not decided if a successor has claimed its place")
    void superseded() {
        var ticket = append("x");
        successor = true;
        assertThatThrownBy(() -> log.await(ticket))
                .isInstanceOfSatisfying(
                        LogLostException.class, e -> assertThat(e.superseded()).isTrue());
        successor = false;
        assertThatThrownBy(() -> log.await(append("y"))).isInstanceOf(LogLostException.class);
    }

    @Test
    @DisplayName("after a failed write nothing is written or decided any more")
    void brokenForGood() {
        sink.failure = new StoreException(Kind.NO_SPACE, "no space left");
        assertThatThrownBy(() -> log.await(append("x")))
                .isInstanceOf(LogLostException.class)
                .hasMessageContaining("no space left");
        sink.failure = null;
        assertThatThrownBy(() -> log.await(append("y"))).isInstanceOf(LogLostException.class);
        assertThat(sink.batches).isEmpty();
    }

    @Test
    @DisplayName("a wait that is interrupted while it writes leaves the batch to the next one")
    void interruptedWriter() throws Exception {
        sink.mayEnd = new CountDownLatch(1);
        var ticket = append("x");
        var interrupted = new CountDownLatch(1);
        var writer = Thread.ofPlatform().start(() -> {
            try {
                log.await(ticket);
            } catch (InterruptedException e) {
                interrupted.countDown();
            } catch (LogLostException e) {
                // The assertion below fails.
            }
        });
        sink.writing.await();
        writer.interrupt();
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        sink.mayEnd.countDown();
        log.await(append("y"));
        log.await(ticket);
        assertThat(sink.batches).containsExactly("1:2", "2:2");
    }
}
