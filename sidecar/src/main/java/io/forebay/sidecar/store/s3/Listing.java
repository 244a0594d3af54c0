package io.forebay.sidecar.store.s3;

import io.forebay.api.name.NameBytes;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.Store.EntrySink;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import io.forebay.sidecar.store.s3.Lookups.Listed;
import io.forebay.sidecar.store.s3.Lookups.Page;
import io.forebay.sidecar.store.s3.Lookups.PageRequest;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Streams one listing, page by page. The first page is asked for once, as all of a store's requests are; later ones, which the
 * caller cannot ask for again without seeing the earlier entries twice, up to {@link #TRIES} times. One thread.
 */
final class Listing {
    /** With the waits below, a server may be away for about 10 s in the middle of a listing. */
    static final int TRIES = 5;

    private static final Duration FIRST_WAIT = Duration.ofMillis(500);

    private final Lookups lookups;
    private final S3Errors errors;
    private final ListRequest request;
    private final EntrySink sink;

    Listing(Lookups lookups, S3Errors errors, ListRequest request, EntrySink sink) {
        this.lookups = lookups;
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
        var page = lookups.page(new PageRequest(key, null, 1));
        for (var object : page.objects()) {
            if (object.key().equals(key)) {
                found(object);
                return true;
            }
        }
        return false;
    }

    private void pages(String folder) throws StoreException, InterruptedException {
        var prefix = folder + request.fixedPrefix();
        var advance = new Advance();
        String token = null;
        while (true) {
            var request = new PageRequest(prefix, token, 0);
            var page = token == null ? lookups.page(request) : laterPage(request);
            for (var object : page.objects()) {
                take(folder, prefix, object);
            }
            if (!page.truncated()) {
                return;
            }
            var fault = advance.fault(page);
            if (fault.isPresent()) {
                throw errors.found(Kind.PERMANENT, Operation.LIST, prefix, fault.get());
            }
            token = page.nextToken();
        }
    }

    private Page laterPage(PageRequest request) throws StoreException, InterruptedException {
        long wait = FIRST_WAIT.toMillis();
        for (int tried = 1; ; tried++) {
            try {
                return lookups.page(request);
            } catch (StoreException e) {
                if (!e.kind().worthRetrying() || tried == TRIES) {
                    throw e;
                }
                sink.triedAgain(e);
            }
            Thread.sleep(ThreadLocalRandom.current().nextLong(wait / 2, wait));
            wait *= 2;
        }
    }

    private void take(String folder, String prefix, Listed object) throws StoreException, InterruptedException {
        var key = object.key();
        if (!NameBytes.isUtf8(key)) {
            // No request can name it: servers that keep files as they are list what they cannot be asked for.
            sink.leftOut(key, "the key is not UTF-8, which S3 keys must be");
        } else if (!key.startsWith(prefix)) {
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

    private void found(Listed object) throws StoreException, InterruptedException {
        long modified = object.lastModifiedMillis();
        var version = new Version.S3(object.key(), object.size(), object.etag(), null, modified);
        var kind = object.key().endsWith("/") ? Entry.Kind.FOLDER : Entry.Kind.FILE;
        sink.found(new Entry(
                object.key(), kind, version, new FileMeta(-1, modified == -1 ? -1 : modified * 1_000_000, null)));
    }
}
