package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store.InlineSource;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.S3Objects.Honours;
import io.forebay.testing.ScriptedS3.Answer;
import io.forebay.testing.ScriptedS3.Request;
import io.forebay.testing.ScriptedS3.Rule;
import java.util.Arrays;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class WriteFaultsTest extends ScriptedTest {
    private static final byte[] SMALL = content(1, 900);
    private static final byte[] LARGE = content(2, 3500);

    /** What a server offers to prove that it received our bytes. */
    enum Server {
        CHECKSUMS,
        MD5,
        /** Content-MD5 is not looked at, but the ETag is the MD5. */
        MD5_ETAG_ONLY,
        SHA256_ONLY,
        NOTHING,
        REFUSES_CHECKSUM_HEADERS,
        REFUSES_UNSIGNED;

        void set(ScriptedTest test) {
            var objects = test.server.objects();
            switch (this) {
                case CHECKSUMS -> objects.without(Honours.MD5_ETAGS, Honours.CONTENT_MD5, Honours.SHA256);
                case MD5 -> objects.without(Honours.CHECKSUMS);
                case MD5_ETAG_ONLY -> objects.without(Honours.CHECKSUMS, Honours.CONTENT_MD5, Honours.SHA256);
                case SHA256_ONLY -> objects.without(Honours.CHECKSUMS, Honours.CONTENT_MD5, Honours.MD5_ETAGS);
                case NOTHING ->
                    objects.without(Honours.CHECKSUMS, Honours.CONTENT_MD5, Honours.MD5_ETAGS, Honours.SHA256);
                case REFUSES_CHECKSUM_HEADERS -> objects.without(Honours.CHECKSUM_HEADERS, Honours.CHECKSUMS);
                case REFUSES_UNSIGNED ->
                    objects.without(Honours.UNSIGNED, Honours.CHECKSUM_HEADERS, Honours.CHECKSUMS, Honours.MD5_ETAGS);
            }
        }
    }

    /** As transfers do: again, while that is worth it. */
    private <T> T retried(java.util.concurrent.Callable<T> call) throws Exception {
        for (int left = 6; ; left--) {
            try {
                return call.call();
            } catch (io.forebay.sidecar.store.StoreException e) {
                if (!e.kind().worthRetrying() || left == 0) {
                    throw e;
                }
            }
        }
    }

    private StagedFile stagedWithRetries(String key, byte[] bytes) throws Exception {
        var stub = retried(() -> prepare(key, bytes.length));
        try (var write = store.open(stub)) {
            for (int part = 0; part < write.parts(); part++) {
                int p = part;
                retried(() -> write.write(p, source(bytes), scratch()));
            }
            return write.seal();
        }
    }

    private void published(String key, byte[] bytes) throws Exception {
        var staged = stagedWithRetries(key, bytes);
        assertThat(retried(() -> store.publish(staged, present(bytes)))).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(stored(key)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    @DisplayName("O1 O2 small and large files arrive on servers of every kind")
    void everyServer(Server kind) throws Exception {
        kind.set(this);
        for (int i = 0; i < 3; i++) {
            published("small-" + i, SMALL);
            published("large-" + i, LARGE);
            published("empty-" + i, new byte[0]);
            store.put("record-" + i, SMALL);
            assertThat(stored("record-" + i)).isEqualTo(SMALL);
            assertThat(store.stat("small-" + i).meta()).isEqualTo(META);
            assertThat(store.stat("large-" + i).meta()).isEqualTo(META);
        }
        assertThat(server.objects().openUploads()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"CHECKSUMS, 1", "MD5, 1", "MD5_ETAG_ONLY, 1", "SHA256_ONLY, 1", "NOTHING, 0", "REFUSES_UNSIGNED, 1"})
    @DisplayName("D5 a bit flipped in a part is found when it is sent, and the part is sent again")
    void flippedInPart(Server kind, int rejections) throws Exception {
        kind.set(this);
        published("teach", LARGE);
        long before = server.count(PUT);
        var rule = server.on(PUT, (r, s) -> s.answer(r.withBody(flipped(r.body(), 17))), 1);
        if (rejections == 0) {
            var staged = stagedWithRetries("large", LARGE);
            assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.LOST);
            assertThat(server.objects().get("large"))
                    .as("wrong bytes at the final name")
                    .isNull();
        } else {
            published("large", LARGE);
        }
        assertThat(rule.struck()).isEqualTo(1);
        assertThat(server.count(PUT) - before).isEqualTo(4 + rejections);
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    @DisplayName("D5 a bit flipped in a small object is found, and it is sent again")
    void flippedInObject(Server kind) throws Exception {
        kind.set(this);
        published("teach", SMALL);
        var rule = server.on(PUT, (r, s) -> s.answer(r.withBody(flipped(r.body(), 17))), 1);
        published("small", SMALL);
        assertThat(rule.struck()).isEqualTo(1);
        store.put("record", SMALL);
        assertThat(stored("record")).isEqualTo(SMALL);
    }

    @ParameterizedTest
    @EnumSource(
            value = Server.class,
            names = {"CHECKSUMS", "MD5", "SHA256_ONLY"})
    @DisplayName("D5 the last bytes cut off every upload: never published, never wrong at the final name")
    void cutEveryUpload(Server kind) throws Exception {
        kind.set(this);
        published("teach", SMALL);
        published("teach-large", LARGE);
        server.objects().put("small", content(9, 10));
        server.on(PUT, (r, s) -> s.answer(r.withBody(Arrays.copyOf(r.body(), r.body().length - 1))));
        var staged = stage("small", SMALL);
        fails(Kind.CORRUPT, () -> retried(() -> store.publish(staged, present(SMALL))));
        if (kind != Server.SHA256_ONLY) {
            assertThat(stored("small")).isEqualTo(content(9, 10));
        }
        fails(Kind.CORRUPT, () -> stagedWithRetries("large", LARGE));
    }

    @Test
    @DisplayName("D5 the first upload of all has a flipped bit: found before anything is known of the server")
    void flippedFirst() throws Exception {
        for (var kind : Server.values()) {
            stop();
            start();
            kind.set(this);
            server.on(PUT, (r, s) -> s.answer(r.withBody(flipped(r.body(), 1))), 1);
            published("small", SMALL);
        }
    }

    @Test
    @DisplayName("O1 a server that refuses checksum headers is asked for them once")
    void refusalIsLearned() throws Exception {
        Server.REFUSES_CHECKSUM_HEADERS.set(this);
        Predicate<Request> withChecksum =
                r -> r.headers().keySet().stream().anyMatch(h -> h.startsWith("x-amz-checksum"));
        published("large", LARGE);
        long asked = server.count(withChecksum);
        published("small", SMALL);
        published("large-2", LARGE);
        readAll(version("large"));
        readAll(version("small"));
        assertThat(server.count(withChecksum)).isEqualTo(asked).isLessThanOrEqualTo(1);
    }

    @Test
    @DisplayName("O1 a server that refuses checksum headers can be read from at once")
    void refusalOnReading() throws Exception {
        Server.REFUSES_CHECKSUM_HEADERS.set(this);
        server.objects().put("key", LARGE);
        var version = version("key");
        assertThat(readAll(version).bytes()).isEqualTo(LARGE);
        assertThat(read(version, 0, 100).bytes()).isEqualTo(Arrays.copyOf(LARGE, 100));
        assertThat(server.count(r -> r.headers().containsKey("x-amz-checksum-mode")))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("O1 no request has trailers or chunked signatures")
    void noTrailers() throws Exception {
        published("small", SMALL);
        published("large", LARGE);
        assertThat(server.requests())
                .noneMatch(r -> r.headers().containsKey("x-amz-trailer")
                        || r.headers().getOrDefault("x-amz-content-sha256", "").startsWith("STREAMING")
                        || r.headers().getOrDefault("transfer-encoding", "").contains("chunked"));
    }

    @Test
    @DisplayName("O3 200 with an <Error> body to a completion is a failure that may pass")
    void errorInCompletion() throws Exception {
        var staged = stage("large", LARGE);
        server.on(COMPLETE, (r, s) -> Answer.error(500, "InternalError").withStatus(200), 1);
        fails(Kind.TRANSIENT, () -> store.publish(staged, new InlineSource.Absent()));
        assertThat(server.objects().get("large")).isNull();
        assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(stored("large")).isEqualTo(LARGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html>login</html>", "<?xml version=\"1.0\"?>\n  \n"})
    @DisplayName("O3 200 with anything else than a result to a completion or creation is a failure that may pass")
    void noResult(String body) throws Exception {
        var staged = stage("large", LARGE);
        server.on(
                COMPLETE.or(CREATE),
                (r, s) -> Answer.of(200, java.util.Map.of(), body.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        fails(Kind.TRANSIENT, () -> store.publish(staged, new InlineSource.Absent()));
        fails(Kind.TRANSIENT, () -> prepare("large", LARGE.length));
        server.behave();
        assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.PUBLISHED);
    }

    @Test
    @DisplayName("O3 200 with an <Error> body to a PUT is a failure that may pass")
    void errorInPut() throws Exception {
        var rule = server.on(PUT, (r, s) -> Answer.error(503, "SlowDown").withStatus(200), 1);
        fails(Kind.TRANSIENT, () -> store.put("key", SMALL));
        assertThat(rule.struck()).isEqualTo(1);
        assertThat(server.objects().get("key")).isNull();
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    @DisplayName("O4 the answer to a completion is lost, the retry finds no upload: size and checksum decide")
    void lostAnswer(Server kind) throws Exception {
        kind.set(this);
        var staged = stagedWithRetries("large", LARGE);
        lose(COMPLETE);
        fails(Kind.TRANSIENT, () -> store.publish(staged, new InlineSource.Absent()));
        assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.PUBLISHED);
        try (var successor = connect()) {
            assertThat(successor.publish(staged, new InlineSource.Absent()))
                    .as("by a successor")
                    .isEqualTo(PublishOutcome.PUBLISHED);
        }
        server.objects().put("large", content(3, LARGE.length));
        assertThat(store.publish(staged, new InlineSource.Absent()))
                .as("other bytes")
                .isEqualTo(PublishOutcome.LOST);
        server.objects().put("large", content(3, 10));
        assertThat(store.publish(staged, new InlineSource.Absent()))
                .as("other size")
                .isEqualTo(PublishOutcome.LOST);
        store.delete("large");
        assertThat(store.publish(staged, new InlineSource.Absent()))
                .as("absent")
                .isEqualTo(PublishOutcome.LOST);
    }

    /** The server does it, but its answer never arrives, neither that to the repetition on a new connection. */
    private Rule lose(Predicate<Request> which) {
        return server.on(
                which,
                (r, s) -> {
                    s.answer(r);
                    return Answer.drop();
                },
                which == PUT ? 2 : 1);
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    @DisplayName("O4 the answer to a PUT is lost: sent again, or found there when the bytes are gone")
    void lostPut(Server kind) throws Exception {
        kind.set(this);
        var staged = stage("small", SMALL);
        assertThat(store.publish(staged, new InlineSource.Absent()))
                .as("never sent")
                .isEqualTo(PublishOutcome.LOST);
        published("teach", content(3, 5));
        lose(PUT);
        fails(Kind.TRANSIENT, () -> store.publish(staged, present(SMALL)));
        assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(store.publish(staged, present(SMALL))).isEqualTo(PublishOutcome.PUBLISHED);
        server.objects().put("small", content(4, SMALL.length));
        assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.LOST);
    }

    @Test
    @DisplayName("a buffer whose bytes are no longer those that were staged is lost, and not published")
    void rottenBuffer() throws Exception {
        var staged = stage("small", SMALL);
        assertThat(store.publish(staged, present(flipped(SMALL, 3)))).isEqualTo(PublishOutcome.LOST);
        assertThat(server.objects().get("small")).isNull();
    }

    @Test
    @DisplayName("C6 an upload opened again after a crash sends only the parts that are missing or other")
    void resumed() throws Exception {
        for (boolean checksums : new boolean[] {true, false}) {
            if (!checksums) {
                server.objects().without(Honours.CHECKSUMS);
            }
            var key = "resumed-" + checksums;
            var stub = prepare(key, LARGE.length);
            try (var write = store.open(stub)) {
                write.write(0, source(LARGE), scratch());
                write.write(1, source(content(7, LARGE.length)), scratch());
                write.write(3, source(LARGE), scratch());
            }
            long before = server.count(PUT);
            try (var successor = connect();
                    var write = successor.open(stub)) {
                for (int part = 0; part < write.parts(); part++) {
                    write.write(part, source(LARGE), scratch());
                }
                assertThat(server.count(PUT) - before).isEqualTo(2);
                assertThat(successor.publish(write.seal(), new InlineSource.Absent()))
                        .isEqualTo(PublishOutcome.PUBLISHED);
            }
            assertThat(stored(key)).isEqualTo(LARGE);
        }
    }

    @Test
    @DisplayName("R2 after an abort a zombie can neither send nor publish")
    void zombie() throws Exception {
        var stub = prepare("large", LARGE.length);
        try (var write = store.open(stub)) {
            write.write(0, source(LARGE), scratch());
            try (var coordinator = connect()) {
                coordinator.discard(stub);
            }
            fails(Kind.NOT_FOUND, () -> write.write(1, source(LARGE), scratch()));
        }
        fails(Kind.NOT_FOUND, () -> connect().open(stub));
        var staged = stage("other", LARGE);
        store.discard(staged.stub());
        assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.LOST);
        assertThat(server.objects().keys()).isEmpty();
    }

    @Test
    @DisplayName("P1 another's upload under the same key is never touched, nor even looked for")
    void foreignUpload() throws Exception {
        var foreign = prepare("large", LARGE.length);
        published("large", LARGE);
        store.discard(stage("large", LARGE).stub());
        assertThat(server.objects().openUploads()).containsExactly(foreign.handle());
        assertThat(server.count(
                        r -> r.query().containsKey("uploads") && r.method().equals("GET")))
                .isZero();
    }

    @Test
    @DisplayName(
            "C9 an upload that was opened by a life that was killed before it was on record is removed by the next attempt at its key;"
                    + " others' uploads, and what has parts, stay")
    void unrecordedUpload() throws Exception {
        prepare("large", LARGE.length);
        var withParts = prepare("large", LARGE.length);
        try (var write = store.open(withParts)) {
            write.write(0, source(LARGE), scratch());
        }
        var longer = prepare("larger", LARGE.length);
        try (var successor = connect()) {
            var own = successor.prepare(new StageRequest("large", "", LARGE.length, META, "t", true, false));
            assertThat(server.objects().openUploads())
                    .containsExactlyInAnyOrder(withParts.handle(), longer.handle(), own.handle());
            var second = successor.prepare(new StageRequest("large", "", LARGE.length, META, "t", true, false));
            assertThat(server.objects().openUploads())
                    .as("its own are known to it")
                    .contains(own.handle(), second.handle());
        }
    }

    @Test
    @DisplayName("who may not list uploads writes all the same")
    void uploadsMayNotBeListed() throws Exception {
        prepare("large", LARGE.length);
        server.on(
                r -> r.query().containsKey("uploads") && r.method().equals("GET"),
                (r, s) -> Answer.error(403, "AccessDenied"));
        try (var successor = connect()) {
            var own = successor.prepare(new StageRequest("large", "", LARGE.length, META, "t", true, false));
            assertThat(server.objects().openUploads()).hasSize(2).contains(own.handle());
        }
    }

    @Test
    @DisplayName("pieces of an intent that the server has lost make it lost")
    void invalidPart() throws Exception {
        var staged = stage("large", LARGE);
        server.on(COMPLETE, (r, s) -> Answer.error(400, "InvalidPart"));
        assertThat(store.publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.LOST);
    }

    @ParameterizedTest
    @CsvSource({
        "403, AccessDenied, DENIED",
        "403, QuotaExceeded, NO_SPACE",
        "507, InsufficientStorage, NO_SPACE",
        "503, SlowDown, TRANSIENT",
        "400, EntityTooLarge, TOO_LARGE",
        "400, KeyTooLongError, BAD_NAME",
        "404, NoSuchBucket, NOT_FOUND",
        "400, ExpiredToken, CREDENTIALS"
    })
    @DisplayName("D1 D2 R6 each refusal of a write has its kind, in all that writes")
    void refusals(int status, String code, Kind kind) throws Exception {
        var small = stage("small", SMALL);
        var stub = prepare("large", LARGE.length);
        var write = store.open(stub);
        var large = stage("larger", LARGE);
        server.on(r -> true, (r, s) -> Answer.error(status, code));
        long before = server.requests().size();
        fails(kind, () -> store.publish(small, present(SMALL)));
        fails(kind, () -> write.write(0, source(LARGE), scratch()));
        fails(kind, () -> prepare("another", LARGE.length));
        fails(kind, () -> store.put("record", SMALL));
        assertThat(server.requests().size() - before).as("one try each").isEqualTo(4);
        if (kind != Kind.NOT_FOUND) {
            fails(kind, () -> store.publish(large, new InlineSource.Absent()));
        }
    }

    @Test
    @DisplayName("D1 a denied write names the object, the identity and the right that is missing")
    void deniedSaysIt() {
        server.on(PUT, (r, s) -> Answer.error(403, "AccessDenied"));
        assertThat(failure(() -> store.put("results/x.nii", SMALL)))
                .hasMessageContainingAll(
                        "write",
                        "s3://bucket/results/x.nii",
                        "403 AccessDenied",
                        "...test",
                        "s3:PutObject",
                        "secretName");
    }

    @Test
    @DisplayName("an upload that is never answered is given up after the write timeout")
    void hangingUpload() throws Exception {
        impatient();
        server.on(PUT, (r, s) -> Answer.hang());
        fails(Kind.TRANSIENT, () -> store.put("key", SMALL));
    }

    @ParameterizedTest
    @ValueSource(strings = {"CHECKSUMS", "MD5"})
    @DisplayName("O8 exclusive creation is found to work")
    void exclusiveCreateWorks(Server kind) throws Exception {
        kind.set(this);
        assertThat(store.capabilities().exclusiveCreate()).isFalse();
        assertThat(store.testExclusiveCreate("records/")).isTrue();
        assertThat(store.capabilities().exclusiveCreate()).isTrue();
        assertThat(server.objects().keys()).as("left by the test").isEmpty();
    }

    @Test
    @DisplayName("O8 a server that answers 200 to If-None-Match and overwrites is found out")
    void exclusiveCreateIgnored() throws Exception {
        server.objects().without(Honours.IF_NONE_MATCH);
        assertThat(store.testExclusiveCreate("records/")).isFalse();
        assertThat(store.capabilities().exclusiveCreate()).isFalse();
        assertThat(server.objects().keys()).isEmpty();
    }

    @Test
    @DisplayName("O8 a server that does not implement If-None-Match is found out")
    void exclusiveCreateNotImplemented() throws Exception {
        server.on(r -> r.headers().containsKey("if-none-match"), (r, s) -> Answer.error(501, "NotImplemented"));
        assertThat(store.testExclusiveCreate("records/")).isFalse();
    }

    @Test
    @DisplayName("N4 a key over 1,024 bytes or not UTF-8 is refused with the limit, before anything is sent")
    void badKeys() throws Exception {
        var at = "k".repeat(1022) + "\u00e9";
        assertThat(prepare(at, 10).finalKey()).isEqualTo(at);
        assertThat(failure(() -> prepare("kk" + at, 10))).hasMessageContaining("1024");
        fails(Kind.BAD_NAME, () -> prepare("kk" + at, 5000));
        fails(Kind.BAD_NAME, () -> prepare("not utf-8 \udcff\udcfe", 10));
        fails(Kind.BAD_NAME, () -> prepare("a/../b", 10));
        fails(Kind.BAD_NAME, () -> prepare("", 10));
        assertThat(server.requests()).isEmpty();
    }

    @Test
    @DisplayName("O6 a file above the object limit is refused at once, with both sizes")
    void tooLarge() {
        assertThat(failure(() -> store.prepare(new StageRequest("huge", "", 6_000_000_000_000L, META, "t"))))
                .hasMessageContaining("5.5 TiB")
                .hasMessageContaining("5.0 TiB")
                .satisfies(e -> assertThat(((io.forebay.sidecar.store.StoreException) e).kind())
                        .isEqualTo(Kind.TOO_LARGE));
        assertThat(server.requests()).isEmpty();
    }

    @Test
    @DisplayName("N5 N6 symbolic links and empty folders are kept as objects and told again")
    void linksAndFolders() throws Exception {
        var target = "../sub dir/\u00e9\udcff%20";
        var link = new FileMeta(-1, 5_000_000_000L, target);
        var stub = store.prepare(new StageRequest("out/link", "out/", 0, link, "t"));
        assertThat(stub.kind()).isEqualTo(StagedFile.Kind.LINK);
        assertThat(store.publish(write(stub, new byte[0]), new InlineSource.Absent()))
                .isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(store.stat("out/link").meta()).isEqualTo(link);
        assertThat(readAll(version("out/link")).receipt().meta()).isEqualTo(link);

        var folder = store.prepare(new StageRequest("out/empty/", "out/", 0, META, "t"));
        assertThat(folder.kind()).isEqualTo(StagedFile.Kind.FOLDER);
        assertThat(store.publish(write(folder, new byte[0]), new InlineSource.Absent()))
                .isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(store.stat("out/empty/").kind()).isEqualTo(io.forebay.sidecar.store.Entry.Kind.FOLDER);

        var endless = new FileMeta(-1, -1, "x".repeat(3000));
        fails(Kind.BAD_NAME, () -> store.prepare(new StageRequest("out/link2", "out/", 0, endless, "t")));
    }
}
