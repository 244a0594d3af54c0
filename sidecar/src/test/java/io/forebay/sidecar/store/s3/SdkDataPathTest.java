package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.S3Objects.Honours;
import io.forebay.testing.ScriptedS3.Answer;
import io.forebay.testing.ScriptedS3.Answer.Then;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes through the SDK: the same promises. */
class SdkDataPathTest extends ScriptedTest {
    private static final byte[] SMALL = content(1, 900);
    private static final byte[] LARGE = content(2, 3500);

    @Override
    S3Store connect() throws StoreException {
        return S3Store.connect(settings(), TestStores.identity(), Optional.empty(), DataPath.Kind.SDK);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("files arrive and are read, with and without checksums of the server's")
    void roundTrip(boolean checksums) throws Exception {
        if (!checksums) {
            server.objects().without(Honours.CHECKSUMS);
        }
        assertThat(store.publish(stage("small", SMALL), present(SMALL))).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(store.publish(stage("large", LARGE), present(LARGE))).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(stored("large")).isEqualTo(LARGE);
        assertThat(readAll(version("small")).bytes()).isEqualTo(SMALL);
        assertThat(read(version("large"), 1000, 2000).bytes()).isEqualTo(Arrays.copyOfRange(LARGE, 1000, 3000));
        assertThat(store.stat("small").meta()).isEqualTo(META);
        assertThat(server.requests()).noneMatch(r -> r.headers().containsKey("x-amz-trailer"));
    }

    @Test
    @DisplayName("I4 I5 D5 changed, cut and flipped bytes are noticed")
    void faults() throws Exception {
        server.objects().put("key", SMALL);
        var version = version("key");
        server.on(GET, (r, s) -> s.answer(r).cut(100, Then.CLOSE), 1);
        fails(Kind.TRANSIENT, () -> readAll(version));
        server.on(GET, (r, s) -> s.answer(r).withBody(flipped(SMALL, 5)), 1);
        fails(Kind.CORRUPT, () -> readAll(version));
        server.objects().put("key", content(3, 900));
        fails(Kind.CHANGED, () -> readAll(version));
        server.on(PUT, (r, s) -> s.answer(r.withBody(flipped(r.body(), 5))), 1);
        fails(Kind.CORRUPT, () -> store.put("key", SMALL));
        server.on(GET.or(PUT), (r, s) -> Answer.error(403, "AccessDenied"));
        fails(Kind.DENIED, () -> store.get("key", 1000));
        fails(Kind.DENIED, () -> store.put("key", SMALL));
    }

    @Test
    @DisplayName("a source that fails is told with its cause")
    void sourceFails() throws Exception {
        var stub = prepare("large", LARGE.length);
        store.put("teach", SMALL);
        try (var write = store.open(stub)) {
            assertThatThrownBy(() -> write.write(
                            0,
                            (offset, dst) -> {
                                throw new IOException("EIO");
                            },
                            scratch()))
                    .isInstanceOf(StoreException.class)
                    .hasRootCauseMessage("EIO");
        }
    }
}
