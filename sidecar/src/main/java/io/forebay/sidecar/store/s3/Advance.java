package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.s3.Lookups.Listed;
import io.forebay.sidecar.store.s3.Lookups.Page;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Notices a listing that would never end. The order of keys tells nothing: S3 promises it for general purpose buckets only, and not all
 * servers keep it. One listing each; one thread.
 */
final class Advance {
    /** In a row. Each may stand for a thousand keys that the server looked at and did not tell, delete markers for one. */
    static final int MOST_EMPTY = 10_000;

    private final Set<Long> tokens = new HashSet<>();
    private List<Listed> before = List.of();
    private int empty;

    /** @param page not the last one, according to the server @return what is wrong; empty: there is a next page to ask for */
    Optional<String> fault(Page page) {
        if (page.nextToken().isEmpty()) {
            return Optional.of("there are more keys, but no token to ask for them");
        }
        if (!tokens.add(hash(page.nextToken()))) {
            return Optional.of("the server gave the same continuation token twice; the listing would never end");
        }
        if (page.objects().isEmpty()) {
            empty++;
            return empty < MOST_EMPTY
                    ? Optional.empty()
                    : Optional.of("the server gave " + empty
                            + " pages without a key in a row, each with a token for the next");
        }
        empty = 0;
        boolean nothingNew = bringsNothing(page.objects());
        before = page.objects();
        return nothingNew
                ? Optional.of("the server gave a page that brings nothing new (its last key is '"
                        + page.objects().getLast().key()
                        + "', as before) and a token for the next; the listing would never end")
                : Optional.empty();
    }

    private boolean bringsNothing(List<Listed> objects) {
        // Nearly always enough to know.
        if (!holds(before, objects.getLast().key())) {
            return false;
        }
        var keys = new HashSet<String>();
        before.forEach(o -> keys.add(o.key()));
        return objects.stream().allMatch(o -> keys.contains(o.key()));
    }

    private static boolean holds(List<Listed> objects, String key) {
        for (var object : objects) {
            if (object.key().equals(key)) {
                return true;
            }
        }
        return false;
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
}
