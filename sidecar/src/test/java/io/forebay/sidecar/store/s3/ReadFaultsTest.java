package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import io.forebay.testing.S3Objects.Honours;
import io.forebay.testing.ScriptedS3.Answer;
import io.forebay.testing.ScriptedS3.Answer.Then;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReadFaultsTest extends ScriptedTest {
    private static final byte[] BYTES = content(1, 5000);

    private Version put() throws Exception {
        server.objects().put("key", BYTES);
        return version("key");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 60, 4999})
    @DisplayName("I5 a body that ends early is a passing fault, and the next read is whole")
    void shortBody(int sent) throws Exception {
        var version = put();
        server.on(GET, (r, s) -> s.answer(r).cut(sent, Then.CLOSE), 1);
        fails(Kind.TRANSIENT, () -> readAll(version));
        assertThat(readAll(version).bytes()).isEqualTo(BYTES);
    }

    @Test
    @DisplayName("I5 a shorter Content-Length than the version's is a change, not an end")
    void shortLength() throws Exception {
        var version = put();
        server.on(GET, (r, s) -> s.answer(r).withBody(content(1, 4000)).with("content-length", null));
        fails(Kind.CHANGED, () -> readAll(version));
    }

    @Test
    @DisplayName("I5 a flipped bit is found by the MD5 that the ETag is")
    void flippedBitMd5() throws Exception {
        var version = put();
        assertThat(readAll(version).receipt().verified()).isTrue();
        server.on(GET, (r, s) -> s.answer(r).withBody(flipped(BYTES, 4321)), 1);
        fails(Kind.CORRUPT, () -> readAll(version));
        assertThat(readAll(version).receipt().verified()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-amz-checksum-crc32c", "x-amz-checksum-crc32", "x-amz-checksum-crc64nvme"})
    @DisplayName("I5 a flipped bit is found by the checksum that the server tells")
    void flippedBitChecksum(String header) throws Exception {
        server.objects().without(Honours.MD5_ETAGS);
        var digits = "123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        server.objects().put("key", digits);
        // The check values of the three CRCs for the digits 1 to 9.
        var value = header.endsWith("crc32c") ? "4waSgw==" : header.endsWith("crc32") ? "y/Q5Jg==" : "rosUhgp5mIg=";
        var version = version("key");
        server.on(GET, (r, s) -> s.answer(r).with(header, value));
        var got = readAll(version);
        assertThat(got.receipt().verified()).isTrue();
        assertThat(got.receipt().crc32c()).isEqualTo(header.endsWith("crc32c") ? 0xE3069283L : -1);
        server.on(GET, (r, s) -> s.answer(r).with(header, value).withBody(flipped(digits, 3)));
        fails(Kind.CORRUPT, () -> readAll(version));
    }

    @Test
    @DisplayName("a composite checksum is not taken for the object's")
    void compositeChecksum() throws Exception {
        server.objects().without(Honours.IF_MATCH);
        server.on(GET.or(HEAD), (r, s) -> s.answer(r).with("etag", "\"0123456789abcdef0123456789abcdef-3\""));
        var version = put();
        server.on(
                GET,
                (r, s) -> s.answer(r)
                        .with("etag", null)
                        .with("x-amz-checksum-crc32c", "AAAAAA==")
                        .with("x-amz-checksum-type", "COMPOSITE"));
        assertThat(readAll(version).receipt().crc32c()).isEqualTo(-1);
        server.on(GET, (r, s) -> s.answer(r).with("etag", null).with("x-amz-checksum-crc32c", "AAAAAA==-3"));
        assertThat(readAll(version).receipt().crc32c()).isEqualTo(-1);
        assertThat(readAll(version).receipt().verified()).isFalse();
    }

    @Test
    @DisplayName("I5 the first range brings the checksum that the server keeps of the whole object, with one HEAD")
    void rangesBringTheObjectsChecksum() throws Exception {
        store.put("key", BYTES);
        var version = version("key");
        long heads = server.count(HEAD);
        var first = read(version, 0, 1000);
        var second = read(version, 1000, 4000);
        assertThat(first.receipt().crc32c()).isEqualTo(crc(BYTES));
        assertThat(second.receipt().crc32c()).isEqualTo(-1);
        assertThat(server.count(HEAD) - heads).isEqualTo(1);
    }

    @Test
    @DisplayName("O2 an ETag that only looks like an MD5 does not make good bytes wrong")
    void etagThatLooksLikeMd5() throws Exception {
        server.objects().without(Honours.MD5_ETAGS);
        var version = put();
        fails(Kind.CORRUPT, () -> readAll(version));
        var again = readAll(version);
        assertThat(again.bytes()).isEqualTo(BYTES);
        assertThat(again.receipt().verified()).isFalse();
    }

    @Test
    @DisplayName("I5 on a server whose ETags were MD5s, the same wrong bytes stay wrong")
    void rotStaysWrong() throws Exception {
        var version = put();
        readAll(version);
        server.on(GET, (r, s) -> s.answer(r).withBody(flipped(BYTES, 7)));
        fails(Kind.CORRUPT, () -> readAll(version));
        fails(Kind.CORRUPT, () -> readAll(version));
        fails(Kind.CORRUPT, () -> readAll(version));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 2500})
    @DisplayName("I5 an answer that hangs is given up after the read timeout")
    void hanging(int after) throws Exception {
        var version = put();
        server.on(GET, (r, s) -> after < 0 ? Answer.hang() : s.answer(r).cut(after, Then.HANG), 1);
        impatient();
        long start = System.nanoTime();
        fails(Kind.TRANSIENT, () -> readAll(version));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT, PATIENT);
        store.close();
        store = connect();
        assertThat(readAll(version).bytes()).isEqualTo(BYTES);
    }

    @Test
    @DisplayName("I5 the default read timeout leaves time to read again within 15 s")
    void defaultTimeout() {
        assertThat(S3Settings.Timeouts.DEFAULT.read()).isLessThanOrEqualTo(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @CsvSource({"0, 5000", "100, 200"})
    @DisplayName("O2 I4 If-Match ignored: an overwritten object is still noticed")
    void ifMatchIgnored(int offset, int length) throws Exception {
        server.objects().without(Honours.IF_MATCH);
        var version = put();
        server.objects().put("key", content(2, 5000));
        var pieces = new ArrayList<Integer>();
        fails(
                Kind.CHANGED,
                () -> store.read(version, offset, length, scratch(), (at, piece) -> pieces.add(piece.remaining())));
        assertThat(pieces).as("bytes of another version").isEmpty();
        fails(Kind.CHANGED, () -> store.checkUnchanged(version));
    }

    @Test
    @DisplayName("O2 an object that shrank below the range is a change")
    void shrunk() throws Exception {
        server.objects().without(Honours.IF_MATCH);
        var version = put();
        server.objects().put("key", content(2, 100));
        fails(Kind.CHANGED, () -> read(version, 4000, 1000));
    }

    @Test
    @DisplayName("a range other than the one asked for is not taken")
    void otherRange() throws Exception {
        var version = put();
        server.on(GET, (r, s) -> s.answer(r).with("content-range", "bytes 0-199/5000"));
        fails(Kind.CHANGED, () -> read(version, 100, 200));
    }

    @Test
    @DisplayName("a server that ignores Range is named as such")
    void rangeIgnored() throws Exception {
        var version = put();
        server.on(
                GET,
                (r, s) -> Answer.of(200, java.util.Map.of("etag", "\"" + ((Version.S3) version).etag() + "\""), BYTES));
        var e = failure(() -> read(version, 100, 200));
        assertThat(e.kind()).isEqualTo(Kind.PERMANENT);
        assertThat(e).hasMessageContaining("Range");
    }

    @Test
    @DisplayName("O3 error XML inside a GET body is a passing failure, and never data")
    void errorInBody() throws Exception {
        var version = put();
        var pieces = new ArrayList<Integer>();
        for (boolean sameLength : new boolean[] {false, true}) {
            var xml = new String(Answer.error(500, "InternalError").body(), java.nio.charset.StandardCharsets.US_ASCII);
            var body = (sameLength ? xml + " ".repeat(BYTES.length - xml.length()) : xml)
                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            server.on(GET, (r, s) -> Answer.of(200, java.util.Map.of("content-type", "application/xml"), body));
            fails(Kind.TRANSIENT, () -> store.read(version, 0, 5000, scratch(), (at, piece) -> pieces.add(1)));
            assertThat(pieces).isEmpty();
        }
        server.behave();
        assertThat(readAll(version).bytes()).isEqualTo(BYTES);
    }

    @Test
    @DisplayName("without an ETag in the answer, Last-Modified and size pin the version")
    void noEtag() throws Exception {
        server.on(GET.or(HEAD), (r, s) -> s.answer(r).with("etag", null));
        var version = put();
        assertThat(readAll(version).bytes()).isEqualTo(BYTES);
        var older = new Version.S3(
                "key", 5000, "", null, Instant.parse("2020-01-01T00:00:00Z").toEpochMilli());
        fails(Kind.CHANGED, () -> readAll(older));
    }

    @Test
    @DisplayName("an answer that proves no version at all is not believed")
    void nothingProven() throws Exception {
        var version = put();
        server.on(GET, (r, s) -> s.answer(r).with("etag", null).with("last-modified", null));
        fails(Kind.TRANSIENT, () -> readAll(version));
    }

    @ParameterizedTest
    @CsvSource({
        "500, InternalError, TRANSIENT",
        "503, SlowDown, TRANSIENT",
        "503, ServiceUnavailable, TRANSIENT",
        "429, TooManyRequests, TRANSIENT",
        "400, RequestTimeout, TRANSIENT",
        "409, OperationAborted, TRANSIENT",
        "502, '', TRANSIENT",
        "403, AccessDenied, DENIED",
        "403, InvalidAccessKeyId, DENIED",
        "403, SignatureDoesNotMatch, DENIED",
        "400, ExpiredToken, CREDENTIALS",
        "403, ExpiredToken, CREDENTIALS",
        "403, RequestTimeTooSkewed, PERMANENT",
        "403, InvalidObjectState, PERMANENT",
        "404, XAdminUserNotFound, DENIED",
        "404, NoSuchKey, NOT_FOUND",
        "404, NoSuchBucket, NOT_FOUND",
        "404, NoSuchVersion, CHANGED",
        "412, PreconditionFailed, CHANGED",
        "416, InvalidRange, CHANGED",
        "301, PermanentRedirect, PERMANENT",
        "307, TemporaryRedirect, PERMANENT",
        "400, InvalidArgument, PERMANENT",
        "501, NotImplemented, PERMANENT"
    })
    @DisplayName("R6 each refusal has its kind")
    void refusals(int status, String code, Kind kind) throws Exception {
        var version = put();
        server.on(GET, (r, s) -> Answer.error(status, code));
        fails(kind, () -> readAll(version));
        fails(kind, () -> store.get("key", 10_000));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NoSuchBucket",
                "InvalidAccessKeyId",
                "XAdminUserNotFound",
                "PermanentRedirect",
                "RequestTimeTooSkewed"
            })
    @DisplayName("R6 what concerns the whole store says so")
    void wholeStore(String code) throws Exception {
        var version = put();
        server.on(GET, (r, s) -> Answer.error(code.equals("NoSuchBucket") ? 404 : 403, code));
        assertThat(failure(() -> readAll(version)).wholeStore()).isTrue();
        server.on(GET, (r, s) -> Answer.error(403, "AccessDenied"));
        assertThat(failure(() -> readAll(version)).wholeStore()).isFalse();
    }

    @Test
    @DisplayName("bodies of unknown length are read: chunked, and until the connection closes")
    void unknownLength() throws Exception {
        var version = put();
        server.on(
                GET,
                (r, s) -> s.answer(r)
                        .with("transfer-encoding", "chunked")
                        .withBody(chunked(BYTES))
                        .with("content-length", null),
                1);
        assertThat(readAll(version).bytes()).isEqualTo(BYTES);
        server.on(
                GET,
                (r, s) -> s.answer(r)
                        .with("transfer-encoding", "chunked")
                        .withBody(chunked(BYTES))
                        .with("content-length", null)
                        .cut(3000, Then.CLOSE),
                1);
        fails(Kind.TRANSIENT, () -> readAll(version));
        server.on(
                GET,
                (r, s) -> s.answer(r)
                        .with("transfer-encoding", "chunked")
                        .withBody(chunked(content(1, 6000)))
                        .with("content-length", null),
                1);
        fails(Kind.CHANGED, () -> readAll(version));
    }

    private static byte[] chunked(byte[] bytes) {
        var out = ByteBuffer.allocate(bytes.length + 1000);
        for (int at = 0; at < bytes.length; at += 700) {
            int n = Math.min(700, bytes.length - at);
            out.put((Integer.toHexString(n) + ";extension=1\r\n").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            out.put(bytes, at, n).put((byte) '\r').put((byte) '\n');
        }
        out.put("0\r\nx-trailer: 1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        return java.util.Arrays.copyOf(out.array(), out.position());
    }

    @Test
    @DisplayName("a connection that the server closed while it was idle is replaced unseen")
    void idleConnectionClosed() throws Exception {
        var version = put();
        server.on(GET, (r, s) -> s.answer(r).cut(BYTES.length, Then.CLOSE));
        for (int i = 0; i < 5; i++) {
            assertThat(readAll(version).bytes()).isEqualTo(BYTES);
        }
    }

    @Test
    @DisplayName("connections are kept alive, and at most as many as set")
    void connectionsAreKeptAndBounded() throws Exception {
        var version = put();
        int before = server.accepted.get();
        readAll(version);
        int first = server.accepted.get();
        // None, where the request that told the version went the same way.
        assertThat(first - before).isLessThanOrEqualTo(1);
        for (int i = 1; i < 20; i++) {
            readAll(version);
        }
        assertThat(server.accepted.get()).as("all others go the same way").isEqualTo(first);
    }

    @Test
    @DisplayName("a small object is read whole, with its limit, and compared with its checksum")
    void smallObjects() throws Exception {
        server.objects().put("small", content(3, 100));
        assertThat(store.get("small", 100)).isEqualTo(content(3, 100));
        fails(Kind.TOO_LARGE, () -> store.get("small", 99));
        server.on(GET, (r, s) -> s.answer(r).cut(50, Then.CLOSE), 1);
        fails(Kind.TRANSIENT, () -> store.get("small", 100));
        server.on(GET, (r, s) -> s.answer(r).withBody(flipped(content(3, 100), 5)), 1);
        fails(Kind.CORRUPT, () -> store.get("small", 100));
        server.on(
                GET,
                (r, s) -> Answer.of(
                        200,
                        java.util.Map.of(),
                        Answer.error(500, "InternalError").body()),
                1);
        fails(Kind.TRANSIENT, () -> store.get("small", 1000));
    }

    @Test
    @DisplayName(
            "I2 a refusal names operation, object, endpoint, status, code, request, identity and remedy, and no secret")
    void refusalsSayIt() throws Exception {
        var version = put();
        server.on(GET, (r, s) -> Answer.error(403, "AccessDenied"));
        assertThat(failure(() -> readAll(version)))
                .hasMessageContainingAll(
                        "read",
                        "s3://bucket/key",
                        server.endpoint().toString(),
                        "403",
                        "AccessDenied",
                        "REQ-1",
                        "...test",
                        "s3:GetObject")
                .hasMessageNotContaining(io.forebay.testing.S3ProxyServer.SECRET_KEY)
                .hasMessageNotContaining(io.forebay.testing.S3ProxyServer.ACCESS_KEY);
    }

    @Test
    @DisplayName("I2 a 404 that may mean 'not allowed' says both")
    void notFoundSaysBoth() {
        assertThat(failure(() -> store.stat("nothing"))).hasMessageContainingAll("nothing", "may not see it");
    }

    @Test
    @DisplayName("O7 the wrong region is named with the right one")
    void wrongRegion() throws Exception {
        var version = put();
        server.on(r -> true, (r, s) -> Answer.error(301, "PermanentRedirect").with("x-amz-bucket-region", "eu-west-3"));
        assertThat(failure(() -> readAll(version))).hasMessageContainingAll("us-east-1", "eu-west-3", "region");
        assertThat(failure(() -> store.stat("key"))).hasMessageContainingAll("us-east-1", "eu-west-3", "region");
    }

    @Test
    @DisplayName("a name with line breaks stays one line in a message")
    void oneLine() {
        assertThat(failure(() -> store.stat("a\nb")).getMessage())
                .contains("a\\x0ab")
                .doesNotContain("\n");
    }

    @Test
    @DisplayName("R6 I2 a HEAD that is refused without a word is explained by a GET of one byte")
    void headExplained() throws Exception {
        var version = put();
        server.on(HEAD.or(GET), (r, s) -> Answer.error(400, "ExpiredToken"));
        fails(Kind.CREDENTIALS, () -> store.stat("key"));
        fails(Kind.CREDENTIALS, () -> store.checkUnchanged(version));
        server.on(HEAD.or(GET), (r, s) -> Answer.error(403, "InvalidAccessKeyId"));
        assertThat(failure(() -> store.stat("key"))).hasMessageContaining("InvalidAccessKeyId");
        server.on(GET, (r, s) -> s.answer(r));
        fails(Kind.DENIED, () -> store.stat("key"));
    }
}
