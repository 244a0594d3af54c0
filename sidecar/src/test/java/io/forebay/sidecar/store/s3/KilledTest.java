package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException;
import io.forebay.testing.ScriptedS3.Answer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * P1: the process dies after each of the requests that an output takes, before and after the server acts on it. What a successor
 * knows is what was recorded before: stub and, if it came so far, staged file.
 */
class KilledTest extends ScriptedTest {
    private static final byte[] OLDER = content(8, 77);

    /** What the journal and the intent would hold. */
    private StagedFile.Stub recordedStub;

    private StagedFile recordedFile;

    @ParameterizedTest
    @ValueSource(ints = {900, 3500})
    @DisplayName(
            "P1 killed after any request: the final name is old or whole, the next run finishes, nothing of ours is left open")
    void killedAnywhere(int size) throws Exception {
        var bytes = content(1, size);
        var foreign = prepare("out", 5000);
        for (boolean acted : new boolean[] {false, true}) {
            boolean completed = false;
            for (int survives = 0; !completed; survives++) {
                server.objects().put("out", OLDER);
                recordedStub = null;
                recordedFile = null;
                completed = diesAfter(survives, acted, bytes);
                assertThat(stored("out")).as("after %d requests", survives).isIn(OLDER, bytes);
                finishedBySuccessor(bytes);
                assertThat(stored("out")).isEqualTo(bytes);
            }
        }
        assertThat(server.objects().openUploads()).contains(foreign.handle());
        store.discard(foreign);
        // Only a creation that was acted on and never answered leaves what no record can name: one, without parts.
        assertThat(server.objects().openUploads()).hasSizeLessThanOrEqualTo(1);
    }

    /** @return whether it lived to the end */
    private boolean diesAfter(int requests, boolean acted, byte[] bytes) throws Exception {
        var left = new AtomicInteger(requests);
        server.on(r -> left.getAndDecrement() <= 0, (r, s) -> {
            if (acted && left.get() == -1) {
                s.answer(r);
            }
            return Answer.drop();
        });
        try (var dying = connect()) {
            recordedStub = dying.prepare(new io.forebay.sidecar.store.StageRequest("out", "", bytes.length, META, "t"));
            try (var write = dying.open(recordedStub)) {
                for (int part = 0; part < write.parts(); part++) {
                    write.write(part, source(bytes), scratch());
                }
                recordedFile = write.seal();
            }
            dying.publish(recordedFile, present(bytes));
            return true;
        } catch (StoreException e) {
            return false;
        } finally {
            server.behave();
        }
    }

    private void finishedBySuccessor(byte[] bytes) throws Exception {
        try (var successor = connect()) {
            if (recordedFile != null && successor.publish(recordedFile, present(bytes)) == PublishOutcome.PUBLISHED) {
                return;
            }
            if (recordedStub != null) {
                successor.discard(recordedStub);
            }
        }
        assertThat(store.publish(stage("out", bytes), present(bytes))).isEqualTo(PublishOutcome.PUBLISHED);
    }
}
