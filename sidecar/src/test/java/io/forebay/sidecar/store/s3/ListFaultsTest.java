package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.Store.EntrySink;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.ScriptedS3.Answer;
import io.forebay.testing.ScriptedS3.Answer.Then;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListFaultsTest extends ScriptedTest {
    /** What a listing told. */
    private static final class Told implements EntrySink {
        final List<Entry> entries = new ArrayList<>();
        final Map<String, String> leftOut = new TreeMap<>();

        @Override
        public void found(Entry entry) {
            entries.add(entry);
        }

        @Override
        public void leftOut(String key, String why) {
            leftOut.put(key, why);
        }

        List<String> keys() {
            return entries.stream().map(Entry::key).toList();
        }
    }

    private Told list(String key) throws Exception {
        return list(key, "", false);
    }

    private Told list(String key, String fixedPrefix, boolean folders) throws Exception {
        var told = new Told();
        store.list(new ListRequest(key, fixedPrefix, SymlinkPolicy.PRESERVE, folders), told);
        return told;
    }

    private void put(String... keys) {
        for (var key : keys) {
            server.objects().put(key, key.endsWith("/") ? new byte[0] : new byte[] {1});
        }
    }

    @Test
    @DisplayName("O5 25,001 keys, 1,000 a page, tokens with + / =: each told once")
    void manyPages() throws Exception {
        for (int i = 0; i < 25_001; i++) {
            put("in/" + (i % 100) + "/" + i);
        }
        var keys = list("in/").keys();
        assertThat(keys).hasSize(25_001).doesNotHaveDuplicates();
        assertThat(server.count(LIST)).isEqualTo(26);
    }

    @Test
    @DisplayName("O5 a token given twice is an error, not an endless loop")
    void sameTokenTwice() {
        server.objects().pageSize = 2;
        put("in/1", "in/2", "in/3", "in/4", "in/5");
        var token = new String[1];
        server.on(LIST, (r, s) -> {
            var answer = s.answer(r);
            var text = new String(answer.body(), StandardCharsets.UTF_8);
            if (token[0] == null) {
                token[0] = text.replaceFirst("(?s).*<NextContinuationToken>(.*)</NextContinuationToken>.*", "$1");
            }
            return answer.withBody(text.replaceFirst(
                            "<NextContinuationToken>.*</Next", "<NextContinuationToken>" + token[0] + "</Next")
                    .getBytes(StandardCharsets.UTF_8));
        });
        var e = failure(() -> list("in/"));
        assertThat(e.kind()).isEqualTo(Kind.PERMANENT);
        assertThat(e).hasMessageContaining("token twice");
    }

    @Test
    @DisplayName("O5 more keys without a token to ask for them are an error, not an end")
    void noToken() {
        server.objects().pageSize = 2;
        put("in/1", "in/2", "in/3");
        server.on(LIST, (r, s) -> edited(s.answer(r), "<NextContinuationToken>.*</NextContinuationToken>", ""));
        fails(Kind.PERMANENT, () -> list("in/"));
    }

    private static Answer edited(Answer answer, String regex, String replacement) {
        return answer.withBody(new String(answer.body(), StandardCharsets.UTF_8)
                .replaceFirst(regex, replacement)
                .getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("I3 a page in the middle that fails three times is asked for again, nothing is told twice")
    void pageFails() throws Exception {
        server.objects().pageSize = 2;
        put("in/1", "in/2", "in/3", "in/4", "in/5");
        var rule = server.on(
                LIST.and(r -> r.query().containsKey("continuation-token")),
                (r, s) -> Answer.error(500, "InternalError"),
                3);
        assertThat(list("in/").keys()).containsExactly("in/1", "in/2", "in/3", "in/4", "in/5");
        assertThat(rule.struck()).isEqualTo(3);
    }

    @Test
    @DisplayName("I3 a first page that fails is told at once: the caller may ask again")
    void firstPageFails() {
        var rule = server.on(LIST, (r, s) -> Answer.error(503, "SlowDown"));
        fails(Kind.TRANSIENT, () -> list("in/"));
        assertThat(rule.struck()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"error document", "empty body", "cut", "html", "dropped"})
    @DisplayName("I3 O3 what is no listing is never read as an empty one")
    void noListing(String what) throws Exception {
        put("in/1", "in/2");
        server.on(LIST, (r, s) -> switch (what) {
            case "error document" -> Answer.error(500, "InternalError").withStatus(200);
            case "empty body" -> Answer.of(200, Map.of(), new byte[0]);
            case "cut" -> s.answer(r).cut(150, Then.CLOSE);
            case "html" -> Answer.of(200, Map.of(), "<html><body>login</body></html>".getBytes(StandardCharsets.UTF_8));
            default -> Answer.drop();
        });
        fails(Kind.TRANSIENT, () -> list("in/"));
        fails(Kind.TRANSIENT, () -> list("in"));
        server.behave();
        assertThat(list("in/").keys()).hasSize(2);
    }

    @Test
    @DisplayName("I2 a missing bucket or a denied listing is named")
    void missingBucket() throws Exception {
        server.on(LIST, (r, s) -> Answer.error(404, "NoSuchBucket"));
        var e = failure(() -> list("in/"));
        assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(e.wholeStore()).isTrue();
        assertThat(e).hasMessageContainingAll("s3://bucket/in/", "NoSuchBucket", "endpoint");
        server.on(LIST, (r, s) -> Answer.error(403, "AccessDenied"));
        assertThat(failure(() -> list("in/"))).hasMessageContainingAll("s3:ListBucket", "...test");
    }

    @Test
    @DisplayName("an empty prefix is no error")
    void emptyPrefix() throws Exception {
        assertThat(list("nothing/").entries).isEmpty();
        assertThat(list("").entries).isEmpty();
    }

    @Test
    @DisplayName("N3 keys that lead out of their folder are left out by name, the others told")
    void keysThatLeadOut() throws Exception {
        put(
                "in/ok",
                "in/../x",
                "in/a/../../x",
                "in/.",
                "in/./y",
                "in/..",
                "in/..ok",
                "in/a..b/c",
                "in/...",
                "/etc/x",
                "../x",
                "a/../../x");
        var told = list("in/");
        assertThat(told.keys()).containsExactlyInAnyOrder("in/ok", "in/..ok", "in/a..b/c", "in/...");
        assertThat(told.leftOut).containsOnlyKeys("in/../x", "in/a/../../x", "in/.", "in/./y", "in/..");
        assertThat(list("").leftOut).containsKeys("/etc/x", "../x", "a/../../x");
        assertThat(list("").leftOut.get("/etc/x")).contains("absolute");
    }

    @Test
    @DisplayName("N2 keys with space, + % # & : ? =, emoji, // are told as they are")
    void unusualKeys() throws Exception {
        var keys = List.of(
                "in/a b",
                "in/a+b",
                "in/a%20b",
                "in/a%2Fb",
                "in/#&:?=",
                "in/\ud83d\ude00",
                "in/a//b",
                "in//c",
                "in/\u00e9",
                "in/a\nb",
                "in/\u0001",
                "in/<&>\"'");
        put(keys.toArray(String[]::new));
        assertThat(list("in/").keys()).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    @DisplayName("N3 a key ending in a slash is a folder if it is empty, else left out by name")
    void trailingSlash() throws Exception {
        put("in/", "in/empty/", "in/full/", "in/full/x");
        server.objects().put("in/odd/", new byte[] {1, 2, 3});
        assertThat(list("in/").keys()).containsExactly("in/full/x");
        assertThat(list("in/").leftOut).containsOnlyKeys("in/odd/");
        var told = list("in/", "", true);
        assertThat(told.keys()).containsExactlyInAnyOrder("in/empty/", "in/full/", "in/full/x");
        assertThat(told.entries.stream()
                        .filter(e -> e.kind() == Entry.Kind.FOLDER)
                        .map(Entry::key))
                .containsExactlyInAnyOrder("in/empty/", "in/full/");
    }

    @Test
    @DisplayName("G1 only what begins with the fixed prefix is asked of the server")
    void fixedPrefixIsAsked() throws Exception {
        put("in/sub-1/x", "in/tmp/x");
        assertThat(list("in/", "sub-", false).keys()).containsExactly("in/sub-1/x");
        assertThat(server.requests().stream().filter(LIST).map(r -> r.query().get("prefix")))
                .containsExactly("in/sub-");
    }

    @Test
    @DisplayName("one object is found by its key without the right to read it, at component boundaries")
    void oneObject() throws Exception {
        put("in/a", "in/a.txt", "in/ab/c", "in/b/1", "in/b2");
        server.on(HEAD.or(GET), (r, s) -> Answer.error(403, "AccessDenied"));
        assertThat(list("in/a").keys()).containsExactly("in/a");
        assertThat(list("in/b").keys()).containsExactly("in/b/1");
        assertThat(list("in").keys()).hasSize(5);
    }

    @Test
    @DisplayName("a server that lists what was not asked for is not believed")
    void otherPrefix() throws Exception {
        put("in/1", "other/2");
        server.on(
                LIST,
                (r, s) -> edited(
                        s.answer(r),
                        "</ListBucketResult>",
                        "<Contents><Key>other/2</Key><LastModified>2020-01-01T00:00:00Z</LastModified><Size>1</Size></Contents></ListBucketResult>"));
        var told = list("in/");
        assertThat(told.keys()).containsExactly("in/1");
        assertThat(told.leftOut).containsOnlyKeys("other/2");
    }

    /** An element of a listing. */
    private static String object(String key, int size, String etag) {
        return "<Contents><Key>" + key + "</Key><LastModified>2020-01-01T00:00:00Z</LastModified><ETag>&quot;" + etag
                + "&quot;</ETag><Size>" + size + "</Size></Contents>";
    }

    @Test
    @DisplayName("N3 keys that are not UTF-8 are left out, each by its own name; the others are told")
    void notUtf8() throws Exception {
        put("in/ok");
        server.on(
                LIST,
                (r, s) -> edited(
                        s.answer(r),
                        "</ListBucketResult>",
                        object("in/%FF.txt", 1, "a") + object("in/%FE.txt", 1, "b") + "</ListBucketResult>"));
        var told = list("in/");
        assertThat(told.keys()).containsExactly("in/ok");
        assertThat(told.leftOut).containsOnlyKeys("in/\udcff.txt", "in/\udcfe.txt");
        assertThat(told.leftOut.get("in/\udcff.txt")).isEqualTo("the key is not UTF-8, which S3 keys must be");
    }

    @ParameterizedTest
    @ValueSource(strings = {"the same keys", "no keys"})
    @DisplayName("O5 a server that always has a new token, but nothing new, ends the listing with an error")
    void newTokensNothingNew(String what) {
        put("in/1", "in/2");
        var tokens = new AtomicInteger();
        server.on(
                LIST,
                (r, s) -> Answer.of(
                        200,
                        Map.of(),
                        ("<ListBucketResult><IsTruncated>true</IsTruncated>"
                                        + (what.equals("no keys")
                                                ? ""
                                                : object("in/2", 1, "a") + object("in/1", 1, "b"))
                                        + "<NextContinuationToken>t" + tokens.incrementAndGet()
                                        + "</NextContinuationToken></ListBucketResult>")
                                .getBytes(StandardCharsets.UTF_8)));
        var e = failure(() -> list("in/"));
        assertThat(e.kind()).isEqualTo(Kind.PERMANENT);
        if (what.equals("no keys")) {
            assertThat(e).hasMessageContainingAll(server.endpoint().toString(), "s3://bucket/in/", "without a key");
            assertThat(tokens).hasValue(Advance.MOST_EMPTY);
        } else {
            assertThat(e)
                    .hasMessageContainingAll(server.endpoint().toString(), "s3://bucket/in/", "nothing new", "'in/1'");
            assertThat(tokens).hasValue(2);
        }
    }

    @Test
    @DisplayName("O5 pages that overlap, do not ascend or are empty are no error as long as something new comes")
    void pagesInAnyOrder() throws Exception {
        var pages = List.of(
                object("in/5", 1, "a") + object("in/3", 1, "a"),
                object("in/4", 1, "a") + object("in/3", 1, "a"),
                "",
                object("in/1", 1, "a"),
                object("in/1", 1, "a"));
        server.on(LIST, (r, s) -> {
            int page = Integer.parseInt(r.query().getOrDefault("continuation-token", "0"));
            return Answer.of(
                    200,
                    Map.of(),
                    ("<ListBucketResult><IsTruncated>" + (page < pages.size() - 1) + "</IsTruncated>" + pages.get(page)
                                    + "<NextContinuationToken>" + (page + 1)
                                    + "</NextContinuationToken></ListBucketResult>")
                            .getBytes(StandardCharsets.UTF_8));
        });
        assertThat(list("in/").keys()).containsExactly("in/5", "in/3", "in/4", "in/3", "in/1", "in/1");
    }

    @Test
    @DisplayName("I2 a listing that is answered 404 names the right that it needs once")
    void oneRightIsNamedOnce() throws Exception {
        server.on(r -> true, (r, s) -> Answer.error(404, "NoSuchThing"));
        assertThat(failure(() -> list("in/"))).hasMessageContaining("(s3:ListBucket)");
    }

    @Test
    @DisplayName("I2 keys that versitygw does not know are told as such, not as a bucket that is absent")
    void unknownKeys() throws Exception {
        server.on(r -> true, (r, s) -> Answer.error(404, "XAdminUserNotFound"));
        var e = failure(() -> list("in/"));
        assertThat(e.kind()).isEqualTo(Kind.DENIED);
        assertThat(e).hasMessageContaining("does not take these keys");
    }
}
