package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.Store.EntrySink;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import io.forebay.sidecar.store.s3.http.Headers;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Streams one listing, page by page. The first page is asked for once, as all of a store's requests are; later ones, which the
 * caller cannot ask for again without seeing the earlier entries twice, up to {@link #TRIES} times. One thread.
 */
final class Listing {
    /** With the waits below, a server may be away for about 10 s in the middle of a listing. */
    static final int TRIES = 5;

    private static final Duration FIRST_WAIT = Duration.ofMillis(500);

    private final Control control;
    private final String bucket;
    private final S3Errors errors;
    private final ListRequest request;
    private final EntrySink sink;

    Listing(Control control, String bucket, S3Errors errors, ListRequest request, EntrySink sink) {
        this.control = control;
        this.bucket = bucket;
        this.errors = errors;
        this.request = request;
        this.sink = sink;
    }

    void run() throws StoreException, InterruptedException {
        var key = request.key();
        if (key.isEmpty() || key.endsWith("/")) {
            pages(key);
        } else if (!oneFile(key)) {
            pages(key + "/");
        }
    }

    /** The key sorts before all that it is a prefix of, so that the first entry tells, without the right to read it. */
    private boolean oneFile(String key) throws StoreException, InterruptedException {
        var page = control.page(ListObjectsV2Request.builder()
                .bucket(bucket)
                .prefix(key)
                .maxKeys(1)
                .build());
        for (var object : page.contents()) {
            if (object.key().equals(key)) {
                found(object);
                return true;
            }
        }
        return false;
    }

    private void pages(String folder) throws StoreException, InterruptedException {
        var prefix = folder + request.fixedPrefix();
        Set<Long> tokens = new HashSet<>();
        String token = null;
        while (true) {
            var page = token == null ? control.page(pageOf(prefix, null)) : laterPage(pageOf(prefix, token));
            for (var object : page.contents()) {
                take(folder, prefix, object);
            }
            if (!Boolean.TRUE.equals(page.isTruncated())) {
                return;
            }
            token = page.nextContinuationToken();
            if (token == null || token.isEmpty()) {
                throw errors.found(
                        Kind.PERMANENT, Operation.LIST, prefix, "there are more keys, but no token to ask for them");
            }
            if (!tokens.add(hash(token))) {
                throw errors.found(
                        Kind.PERMANENT,
                        Operation.LIST,
                        prefix,
                        "the server gave the same continuation token twice; the listing would never end");
            }
        }
    }

    /** 64 bits of a token: a million pages are held in a few MiB, and meet by chance less than once in 10 million listings. */
    private static long hash(String token) {
        long h = 0xcbf2_9ce4_8422_2325L;
        for (int i = 0; i < token.length(); i++) {
            h = (h ^ token.charAt(i)) * 0x9E37_79B9_7F4A_7C15L;
            h ^= h >>> 29;
        }
        return h;
    }

    private ListObjectsV2Request pageOf(String prefix, @Nullable String token) {
        return ListObjectsV2Request.builder()
                .bucket(bucket)
                .prefix(prefix)
                .continuationToken(token)
                .build();
    }

    private ListObjectsV2Response laterPage(ListObjectsV2Request page) throws StoreException, InterruptedException {
        long wait = FIRST_WAIT.toMillis();
        for (int tried = 1; ; tried++) {
            try {
                return control.page(page);
            } catch (StoreException e) {
                if (!e.kind().worthRetrying() || tried == TRIES) {
                    throw e;
                }
            }
            Thread.sleep(ThreadLocalRandom.current().nextLong(wait / 2, wait));
            wait *= 2;
        }
    }

    private void take(String folder, String prefix, S3Object object) throws StoreException, InterruptedException {
        var key = object.key();
        if (!key.startsWith(prefix)) {
            sink.leftOut(key, "the server listed it although it does not begin with '" + prefix + "'");
        } else if (key.equals(folder)) {
            return;
        } else if (key.startsWith("/")) {
            sink.leftOut(key, "the key begins with '/', which would name an absolute path");
        } else if (hasDots(key.substring(folder.length()))) {
            sink.leftOut(key, "the key has a component '.' or '..', which would lead out of its folder");
        } else if (!key.endsWith("/")) {
            found(object);
        } else if (object.size() != 0) {
            sink.leftOut(key, "the key ends in '/' like a folder, but the object has " + object.size() + " bytes");
        } else if (request.folders()) {
            found(object);
        }
    }

    private static boolean hasDots(String relative) {
        int start = 0;
        while (start <= relative.length()) {
            int slash = relative.indexOf('/', start);
            int end = slash < 0 ? relative.length() : slash;
            int length = end - start;
            if (length > 0 && length <= 2 && relative.charAt(start) == '.' && relative.charAt(end - 1) == '.') {
                return true;
            }
            start = end + 1;
        }
        return false;
    }

    private void found(S3Object object) throws StoreException, InterruptedException {
        long modified =
                object.lastModified() == null ? -1 : object.lastModified().getEpochSecond() * 1000;
        var etag = object.eTag() == null ? "" : Headers.unquoted(object.eTag());
        var version = new Version.S3(object.key(), object.size(), etag, null, modified);
        var kind = object.key().endsWith("/") ? Entry.Kind.FOLDER : Entry.Kind.FILE;
        sink.found(new Entry(
                object.key(), kind, version, new FileMeta(-1, modified == -1 ? -1 : modified * 1_000_000, null)));
    }
}
