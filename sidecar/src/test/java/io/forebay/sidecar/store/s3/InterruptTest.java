package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3.Answer;
import io.forebay.testing.Wait;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InterruptTest extends ScriptedTest {
    private interface StoreCall {
        void run(InterruptTest test) throws Exception;
    }

    /** @param name of the operation */
    private record Operation(String name, StoreCall call) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Operation> operations() {
        return Stream.of(
                new Operation("stat", t -> t.store.stat("key")),
                new Operation(
                        "list",
                        t -> t.store.list(
                                new io.forebay.sidecar.store.ListRequest(
                                        "", "", io.forebay.api.job.Job.SymlinkPolicy.PRESERVE, false),
                                null)),
                new Operation("get", t -> t.store.get("key", 10)),
                new Operation("put", t -> t.store.put("key", new byte[10])),
                new Operation("prepare", t -> t.prepare("key", 5000)));
    }

    @ParameterizedTest
    @MethodSource("operations")
    @DisplayName("E1 E2 an interrupt ends whatever hangs, within seconds, as an interrupt")
    void interrupted(Operation operation) throws Exception {
        var rule = server.on(r -> true, (r, s) -> Answer.hang());
        var thrown = new AtomicReference<Throwable>();
        var thread = Thread.ofVirtual().start(() -> {
            try {
                operation.call.run(this);
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        Wait.until("the request has come", () -> rule.struck() > 0);
        thread.interrupt();
        assertThat(thread.join(Duration.ofSeconds(8))).isTrue();
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    }
}
