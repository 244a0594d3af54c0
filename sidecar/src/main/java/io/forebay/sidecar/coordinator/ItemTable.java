package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.item.ItemEvent;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.item.ItemTransitions;
import io.forebay.sidecar.spool.Hash128;
import java.util.Arrays;

/**
 * What is known of each item, in 32 bytes of heap. Guarded by its owner's lock.
 *
 * <p>Ids are found by open addressing: {@code slots} holds index + 1, 0 is free; at most half of it is used.
 */
final class ItemTable {
    private static final ItemState[] STATES = ItemState.values();

    private long[] idHigh = new long[1024];
    private long[] idLow = new long[1024];
    private int[] slots = new int[4096];
    private int size;

    private byte[] state = {};
    private short[] attempt = {};
    private short[] fenced = {};
    private short[] generation = {};
    private byte[] failures = {};
    private byte[] setbacks = {};
    private byte[] tier = {};
    private byte[] listed = {};
    private final int[] counts = new int[STATES.length];

    /** Adds the next item. @return false: an item of this id is there already, nothing was added */
    boolean add(String id) {
        long high = high(id);
        long low = low(id);
        if ((size + 1) * 2L > slots.length) {
            rehash(slots.length * 2);
        }
        int slot = slot(high, low);
        if (slots[slot] != 0) {
            return false;
        }
        if (size == idHigh.length) {
            int larger = size + (size >> 1);
            idHigh = Arrays.copyOf(idHigh, larger);
            idLow = Arrays.copyOf(idLow, larger);
        }
        idHigh[size] = high;
        idLow[size] = low;
        size++;
        slots[slot] = size;
        return true;
    }

    /** After the last {@link #add}. */
    void ready() {
        idHigh = Arrays.copyOf(idHigh, size);
        idLow = Arrays.copyOf(idLow, size);
        state = new byte[size];
        attempt = new short[size];
        fenced = new short[size];
        generation = new short[size];
        failures = new byte[size];
        setbacks = new byte[size];
        tier = new byte[size];
        listed = new byte[size];
        counts[ItemState.PENDING.ordinal()] = size;
    }

    int size() {
        return size;
    }

    /** @return its index; -1: no item of the plan has this id */
    int find(String id) {
        return slots[slot(high(id), low(id))] - 1;
    }

    String id(int item) {
        return Hash128.hex(idHigh[item], idLow[item]);
    }

    ItemState state(int item) {
        return STATES[state[item]];
    }

    int count(ItemState which) {
        return counts[which.ordinal()];
    }

    int endedCount() {
        return count(ItemState.DONE) + count(ItemState.FAILED);
    }

    /** @throws IllegalStateException the event cannot happen there */
    void apply(int item, ItemEvent event) {
        set(item, ItemTransitions.next(state(item), event));
    }

    /** For what the log says, where states in between were never written. */
    void set(int item, ItemState to) {
        counts[state[item]]--;
        state[item] = (byte) to.ordinal();
        counts[state[item]]++;
    }

    /** Number of the last attempt; 0: none yet. */
    int attempt(int item) {
        return attempt[item];
    }

    void attempt(int item, int number) {
        attempt[item] = (short) Math.min(number, Short.MAX_VALUE);
    }

    /** Attempts up to this one may never publish. */
    int fenced(int item) {
        return fenced[item];
    }

    void fence(int item, int upTo) {
        fenced[item] = (short) Math.max(fenced[item], Math.min(upTo, Short.MAX_VALUE));
    }

    int generation(int item) {
        return generation[item];
    }

    void generation(int item, int number) {
        generation[item] = (short) number;
    }

    /** Failures that count against {@code retry.item}. */
    int failures(int item) {
        return failures[item];
    }

    void failures(int item, int number) {
        failures[item] = (byte) Math.min(number, Byte.MAX_VALUE);
    }

    /** Ends of attempts that do not count: lost with a worker, moved to another tier. */
    int setbacks(int item) {
        return setbacks[item];
    }

    void setbacks(int item, int number) {
        setbacks[item] = (byte) Math.min(number, Byte.MAX_VALUE);
    }

    /** First tier that may hold it. */
    int tier(int item) {
        return tier[item];
    }

    void tier(int item, int index) {
        tier[item] = (byte) index;
    }

    /** Number, modulo 256, of the failure whose unexported outputs count. */
    int listed(int item) {
        return listed[item] & 0xFF;
    }

    /** What it failed to export before is history. @return the number for what it fails to export now */
    int listAnew(int item) {
        listed[item]++;
        return listed(item);
    }

    private int slot(long high, long low) {
        int mask = slots.length - 1;
        int slot = (int) (low ^ low >>> 32) & mask;
        while (slots[slot] != 0 && (idLow[slots[slot] - 1] != low || idHigh[slots[slot] - 1] != high)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void rehash(int length) {
        slots = new int[length];
        for (int i = 0; i < size; i++) {
            slots[slot(idHigh[i], idLow[i])] = i + 1;
        }
    }

    private static long high(String id) {
        return Long.parseUnsignedLong(id, 0, 16, 16);
    }

    private static long low(String id) {
        return Long.parseUnsignedLong(id, 16, 32, 16);
    }
}
