package io.forebay.sidecar.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.records.LogEntry.Settled;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.RecordsMemoryStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SuccessionTest {
    private static final ProcessIdentity NEAR = new ProcessIdentity("near", 1, 11, "boot1", "pid:[1]");
    private static final ProcessIdentity FAR = new ProcessIdentity("far", 2, 22, "boot2", "pid:[2]");

    private final RecordsMemoryStore bucket = new RecordsMemoryStore();
    private StoreRetry.Sleeper sleeper = d -> {};

    private RecordsFolder folder(Duration patience) {
        return new RecordsFolder(
                bucket, StoreUri.parse("s3://bucket/records/job/"), new StoreRetry(patience, new Random(1), d -> {}));
    }

    private Succession claim(ProcessIdentity me, boolean single) throws Exception {
        return Succession.claim(
                folder(Duration.ofSeconds(60)),
                "job",
                me,
                new Succession.Options(
                        Duration.ofSeconds(30),
                        Duration.ZERO,
                        single,
                        InstantSource.system(),
                        d -> sleeper.sleep(d),
                        Patience.NONE));
    }

    private static List<String> ids(History history) throws Exception {
        var ids = new ArrayList<String>();
        history.replay(type -> true, e -> ids.add(((Settled) e).id()));
        return ids;
    }

    private static void write(Succession succession, String id) throws Exception {
        succession.log().await(succession.log().append(new Settled(id)));
    }

    private static Succession sealed(Succession succession) throws Exception {
        succession.sealHistory(type -> false, e -> {});
        return succession;
    }

    @Test
    @DisplayName("R4 a second job while the first one's process lives is refused, naming start, host and pid")
    void refusedBeside() throws Exception {
        var me = ProcessIdentity.ofThisProcess();
        claim(me, false);
        assertThatThrownBy(() -> claim(me, false))
                .isInstanceOf(JobRunsException.class)
                .hasMessageContaining("job job runs already: started 20")
                .hasMessageContaining("host " + me.host() + ", pid " + me.pid());
    }

    @Test
    @DisplayName("R4 a process id that another process has now is not the first one")
    void pidUsedAgain() throws Exception {
        var me = ProcessIdentity.ofThisProcess();
        claim(new ProcessIdentity(me.host(), me.pid(), me.processStart() + 1, me.bootId(), me.pidNamespace()), false);
        sleeper = d -> {
            throw new AssertionError("nothing needs to be waited for");
        };
        var next = claim(me, false);
        assertThat(next.generation()).isEqualTo(2);
        assertThat(next.predecessorDead()).isTrue();
    }

    @Test
    @DisplayName("R4 one elsewhere is watched for a lease: a heartbeat refuses, silence does not")
    void heartbeats() throws Exception {
        var first = claim(FAR, false);
        first.beat();
        var seconds = new AtomicInteger();
        sleeper = d -> {
            if (seconds.incrementAndGet() == 25) {
                try {
                    first.beat();
                } catch (StoreException e) {
                    throw new AssertionError(e);
                }
            }
        };
        assertThatThrownBy(() -> claim(NEAR, false))
                .isInstanceOf(JobRunsException.class)
                .hasMessageContaining("host far, pid 2");
        seconds.set(1000);
        var next = claim(NEAR, false);
        assertThat(seconds.get()).isEqualTo(1030);
        assertThat(next.predecessorDead()).as("silent is not dead").isFalse();
    }

    @Test
    @DisplayName("one that ended in order is not waited for")
    void released() throws Exception {
        var first = claim(FAR, false);
        first.release();
        sleeper = d -> {
            throw new AssertionError("nothing needs to be waited for");
        };
        assertThat(claim(NEAR, false).predecessorDead()).isTrue();
    }

    @Test
    @DisplayName(
            "O8 a store that overwrites what it should create is found at start, and refused without another guarantee")
    void overwritingStore() throws Exception {
        bucket.overwritesOnCreate();
        assertThatThrownBy(() -> claim(NEAR, false))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("If-None-Match is ignored")
                .hasMessageContaining("spec.records");
        var guaranteed = claim(NEAR, true);
        assertThat(guaranteed.notices()).singleElement().asString().contains("single coordinator");
        assertThat(bucket.keys()).noneMatch(k -> k.contains("probe"));
    }

    @Test
    @DisplayName("a claim whose answer was lost is still ours")
    void lostAnswer() throws Exception {
        var tries = new AtomicInteger();
        var folder = new RecordsFolder(
                new LosingStore(bucket, tries),
                StoreUri.parse("s3://bucket/records/job/"),
                new StoreRetry(Duration.ofSeconds(60), new Random(1), d -> {}));
        var succession = Succession.claim(
                folder,
                "job",
                NEAR,
                new Succession.Options(
                        Duration.ofSeconds(30), Duration.ZERO, false, InstantSource.system(), d -> {}, Patience.NONE));
        assertThat(succession.generation()).isEqualTo(1);
        assertThat(tries.get()).isPositive();
    }

    @Test
    @DisplayName("C10 what a frozen coordinator writes after it was succeeded is void, for every later one")
    void voidBeyondTheSeal() throws Exception {
        var first = sealed(claim(FAR, true));
        write(first, "decided");
        var second = sealed(claim(NEAR, true));
        assertThat(ids(second.history())).containsExactly("decided");
        assertThatThrownBy(() -> write(first, "late")).isInstanceOf(LogLostException.class);
        write(second, "next");
        var third = sealed(claim(NEAR, true));
        assertThat(ids(third.history())).containsExactly("decided", "next");
        assertThat(ids(History.of(folder(Duration.ZERO)))).containsExactly("decided", "next");
    }

    @Test
    @DisplayName("C10 one frozen between claim and seal decides nothing when it is thawed after its successor")
    void lateSeal() throws Exception {
        var first = sealed(claim(FAR, true));
        write(first, "a");
        var second = claim(FAR, true);
        var third = sealed(claim(NEAR, true));
        write(third, "c");
        sealed(second);
        assertThatThrownBy(() -> write(second, "b")).isInstanceOf(LogLostException.class);
        var fourth = sealed(claim(NEAR, true));
        assertThat(ids(fourth.history())).containsExactly("a", "c");
    }

    @Test
    @DisplayName("I3 records that are unavailable for a while are waited for, others are not")
    void unavailable() throws Exception {
        var fails = new AtomicInteger(3);
        bucket.before((operation, key) -> {
            if (fails.getAndDecrement() > 0) {
                throw new StoreException(Kind.TRANSIENT, "503");
            }
        });
        assertThat(claim(NEAR, false).generation()).isEqualTo(1);
        bucket.before((operation, key) -> {
            throw new StoreException(Kind.DENIED, "403");
        });
        assertThatThrownBy(() -> claim(NEAR, false))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("403");
    }

    @Test
    @DisplayName("the last generation is found among many without listing")
    void manyGenerations() throws Exception {
        for (int g = 1; g <= 37; g++) {
            claim(NEAR, true).release();
        }
        var asked = new AtomicInteger();
        bucket.before((operation, key) -> asked.incrementAndGet());
        assertThat(History.highestGeneration(folder(Duration.ZERO))).isEqualTo(37);
        assertThat(asked.get()).isLessThan(15);
    }
}
