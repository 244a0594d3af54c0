package io.forebay.sidecar.store.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IoPoolTest {
    private final IoPool pool = new IoPool("test", 2);
    private final CountDownLatch release = new CountDownLatch(1);

    /** Calls that have begun: a thread is counted as active by the pool a moment before. */
    private final AtomicInteger hanging = new AtomicInteger();

    @AfterEach
    void close() {
        release.countDown();
        pool.close();
    }

    private String hang() {
        hanging.incrementAndGet();
        boolean over = false;
        while (!over) {
            try {
                release.await();
                over = true;
            } catch (InterruptedException e) {
                // as a system call: not to be interrupted
            }
        }
        return "late";
    }

    @Test
    void givesBackResultsAndFailures() throws Exception {
        assertThat(pool.run(() -> "x")).isEqualTo("x");
        assertThatThrownBy(() -> pool.run(() -> {
                    throw new PosixException(Errno.EIO.number(), "pread", "/x");
                }))
                .isInstanceOf(PosixException.class);
        assertThatThrownBy(() -> pool.run(() -> {
                    throw new IllegalStateException("bug");
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void letsAnInterruptedCallerGoAndReleasesWhatComesLate() throws Exception {
        var late = new ConcurrentLinkedQueue<String>();
        var thrown = new AtomicReference<Exception>();
        var caller = Thread.ofVirtual().start(() -> {
            try {
                pool.run(this::hang, late::add);
            } catch (Exception e) {
                thrown.set(e);
            }
        });
        PosixFixture.await("the call is under way", () -> hanging.get() == 1);
        caller.interrupt();
        assertThat(caller.join(Duration.ofSeconds(10))).isTrue();
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(late).isEmpty();
        release.countDown();
        PosixFixture.await("the late result is released", () -> late.contains("late"));
    }

    @Test
    void neverBeginsACallWhoseCallerHasLeft() throws Exception {
        pool.start(Shared.nothing(), this::hang, late -> {});
        pool.start(Shared.nothing(), this::hang, late -> {});
        var begun = new AtomicBoolean();
        var closed = new AtomicBoolean();
        var uses = new Shared(() -> closed.set(true));
        var waiting = pool.start(uses, () -> begun.getAndSet(true), late -> {});
        var caller = Thread.ofVirtual()
                .start(() -> assertThatThrownBy(waiting::await).isInstanceOf(InterruptedException.class));
        caller.interrupt();
        assertThat(caller.join(Duration.ofSeconds(10))).isTrue();
        uses.close();
        assertThat(closed).isFalse();
        release.countDown();
        PosixFixture.await("what it uses is released", closed::get);
        assertThat(begun).isFalse();
    }

    @Test
    void keepsOpenWhatACallUnderWayUses() throws Exception {
        var closed = new AtomicInteger();
        var uses = new Shared(closed::incrementAndGet);
        var task = pool.start(uses, this::hang, late -> {});
        PosixFixture.await("the call is under way", () -> hanging.get() == 1);
        uses.close();
        uses.close();
        assertThat(closed).hasValue(0);
        assertThatThrownBy(() -> pool.start(uses, this::hang, late -> {})).isInstanceOf(StoreException.class);
        release.countDown();
        assertThat(task.await()).isEqualTo("late");
        PosixFixture.await("it is closed", () -> closed.get() == 1);
    }

    @Test
    void runsNoMoreThanItsThreadsAtOnce() throws Exception {
        var now = new AtomicInteger();
        var most = new AtomicInteger();
        var tasks = new ArrayList<IoPool.Task<Integer>>();
        for (int i = 0; i < 200; i++) {
            tasks.add(pool.start(
                    Shared.nothing(),
                    () -> {
                        most.accumulateAndGet(now.incrementAndGet(), Math::max);
                        return now.decrementAndGet();
                    },
                    late -> {}));
        }
        for (var t : tasks) {
            t.await();
        }
        assertThat(most.get()).isBetween(1, 2);
    }

    @Test
    void growsIfAllItsThreadsHang() throws Exception {
        try (var small = new IoPool("small", 2, Duration.ofMillis(20))) {
            small.start(Shared.nothing(), this::hang, late -> {});
            small.start(Shared.nothing(), this::hang, late -> {});
            assertThat(small.run(() -> "other")).isEqualTo("other");
        }
    }

    @Test
    void growsOnlySoFar() throws Exception {
        try (var small = new IoPool("small", 1, Duration.ofMillis(5))) {
            var begun = new AtomicInteger();
            for (int i = 0; i < 20; i++) {
                var task = small.start(
                        Shared.nothing(),
                        () -> {
                            begun.incrementAndGet();
                            return hang();
                        },
                        late -> {});
                Thread.ofVirtual().start(() -> assertThat(task).satisfies(IoPool.Task::await));
            }
            PosixFixture.await("it has grown", () -> begun.get() == 8);
            assertThatThrownBy(() -> {
                        Thread.currentThread().interrupt();
                        small.run(() -> "never");
                    })
                    .isInstanceOf(InterruptedException.class);
            assertThat(begun).hasValue(8);
        }
    }
}
