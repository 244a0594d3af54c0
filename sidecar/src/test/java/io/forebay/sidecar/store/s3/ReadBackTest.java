package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store.InlineSource;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.ScriptedS3;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code verify: ReadBack}: the server proves what it received, and returns something else. */
class ReadBackTest extends ScriptedTest {
    private static final byte[] SMALL = content(1, 500);
    private static final byte[] LARGE = content(2, 2500);

    private StagedFile staged(String key, byte[] bytes) throws Exception {
        return write(store.prepare(new StageRequest(key, "", bytes.length, META, "t", false, true)), bytes);
    }

    private void returnsOtherBytes(int times) {
        server.on(
                GET,
                (r, s) -> {
                    var good = s.answer(r);
                    return ScriptedS3.Answer.of(good.status(), good.headers(), flipped(good.body(), 7));
                },
                times);
    }

    @Test
    @DisplayName(
            "D5 ReadBack: an object of one request that comes back with other bytes is not published; written again it is")
    void small() throws Exception {
        var staged = staged("small", SMALL);
        returnsOtherBytes(1);
        fails(Kind.CORRUPT, () -> store.publish(staged, present(SMALL)));
        assertThat(store.publish(staged, present(SMALL))).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(server.count(PUT)).isEqualTo(2);
        assertThat(server.count(GET)).isEqualTo(2);
        assertThat(stored("small")).isEqualTo(SMALL);
    }

    @Test
    @DisplayName(
            "D5 ReadBack: an upload that comes back with other bytes is taken away again and lost; staged anew it is published")
    void large() throws Exception {
        var staged = staged("large", LARGE);
        returnsOtherBytes(1);
        assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.LOST);
        assertThat(server.objects().get("large")).isNull();
        var again = staged("large", LARGE);
        assertThat(store.publish(again, new InlineSource.Absent())).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(stored("large")).isEqualTo(LARGE);
    }

    @Test
    @DisplayName(
            "D5 ReadBack: a successor that finds the upload completed reads it back as well, whatever checksum the server tells")
    void successor() throws Exception {
        var staged = staged("large", LARGE);
        assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.PUBLISHED);
        try (var successor = connect()) {
            long before = server.count(GET);
            assertThat(successor.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.PUBLISHED);
            assertThat(server.count(GET)).isEqualTo(before + 1);
            returnsOtherBytes(1);
            assertThat(successor.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.LOST);
        }
    }

    @Test
    @DisplayName("D5 Store: what the server has proven is not read back")
    void withoutIt() throws Exception {
        store.publish(stage("small", SMALL), present(SMALL));
        store.publish(stage("large", LARGE), new InlineSource.Absent());
        assertThat(server.count(GET)).isZero();
    }
}
