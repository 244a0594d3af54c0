package io.forebay.sidecar.coordinator;

import java.util.Arrays;

/**
 * Which item owns a text, for millions of texts in 20 bytes each at most two thirds full: the text is represented by the first
 * 128 bits of its SHA-256, which no two texts share. Open addressing; owner + 1 is kept, 0 is free. One thread at a time.
 */
final class HashTable {
    private static final int FIRST = 1 << 10;

    private long[] high = new long[FIRST];
    private long[] low = new long[FIRST];
    private int[] owner = new int[FIRST];
    private int size;

    /** @return false: it has an owner already, nothing was changed */
    boolean add(String text, int item) {
        return set(text, item, false);
    }

    /** Whoever owned it before. */
    void put(String text, int item) {
        set(text, item, true);
    }

    private boolean set(String text, int item, boolean replace) {
        var hash = Identity.ofText(text);
        long h = Long.parseUnsignedLong(hash, 0, 16, 16);
        long l = Long.parseUnsignedLong(hash, 16, 32, 16);
        int at = find(h, l);
        if (owner[at] != 0) {
            owner[at] = replace ? item + 1 : owner[at];
            return replace;
        }
        high[at] = h;
        low[at] = l;
        owner[at] = item + 1;
        size++;
        if (size * 3L > owner.length * 2L) {
            grow();
        }
        return true;
    }

    /** @return the item; -1: none */
    int owner(String text) {
        var hash = Identity.ofText(text);
        return owner[find(Long.parseUnsignedLong(hash, 0, 16, 16), Long.parseUnsignedLong(hash, 16, 32, 16))] - 1;
    }

    int size() {
        return size;
    }

    void clear() {
        high = new long[FIRST];
        low = new long[FIRST];
        owner = new int[FIRST];
        size = 0;
    }

    private int find(long h, long l) {
        int mask = owner.length - 1;
        int at = (int) (l ^ l >>> 32) & mask;
        while (owner[at] != 0 && (low[at] != l || high[at] != h)) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        var oldHigh = high;
        var oldLow = low;
        var oldOwner = owner;
        int length = Math.multiplyExact(oldOwner.length, 2);
        high = new long[length];
        low = new long[length];
        owner = new int[length];
        Arrays.fill(owner, 0);
        for (int i = 0; i < oldOwner.length; i++) {
            if (oldOwner[i] != 0) {
                int at = find(oldHigh[i], oldLow[i]);
                high[at] = oldHigh[i];
                low[at] = oldLow[i];
                owner[at] = oldOwner[i];
            }
        }
    }
}
