package io.forebay.sidecar.spool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Which item owns a text, for any number of texts: a text is represented by its {@link Hash128}. Small tables are in memory,
 * larger ones in a nameless scratch file, so that millions need no heap. One thread at a time.
 *
 * <p>Open addressing with linear probing, at most two thirds full. Slot, 24 bytes: high u64 | low u64 | owner + 1 u32 (0: free) |
 * unused u32. A text's first slot are the top bits of {@code high}.
 */
public final class HashTable implements AutoCloseable {
    private static final int SLOT = 24;
    private static final int FIRST_BITS = 10;
    /** Beyond this many slots (1.5 MiB) the table is in a file. */
    private static final int MEMORY_BITS = 16;
    /** Slots read at once: nearly always enough to find a text or a free slot. */
    private static final int WINDOW = 10;

    private final Path scratch;
    private final Hash128 hash = new Hash128();
    private final ByteBuffer window = ByteBuffer.allocate(WINDOW * SLOT);
    private final ByteBuffer one = ByteBuffer.allocate(SLOT);
    private Slots slots;
    private int bits = FIRST_BITS;
    private int size;

    /** Where slots are. Positions are in bytes and never run over the end. */
    private interface Slots {
        void read(long position, ByteBuffer into) throws IOException;

        void write(long position, ByteBuffer from) throws IOException;

        void close() throws IOException;
    }

    /** @param scratch a local folder, writable */
    public HashTable(Path scratch) {
        this.scratch = scratch;
        this.slots = inMemory(FIRST_BITS);
    }

    /** @return false: it has an owner already, nothing was changed */
    public boolean add(String text, int item) {
        return set(text, item, false);
    }

    /** Whoever owned it before. */
    public void put(String text, int item) {
        set(text, item, true);
    }

    /** @return the item; -1: none */
    public int owner(String text) {
        hash.reset().add(text).done();
        try {
            return ownerAt(find(slots, bits, hash.high(), hash.low())) - 1;
        } catch (IOException e) {
            throw scratchFailed(e);
        }
    }

    public int size() {
        return size;
    }

    public void clear() {
        close();
        slots = inMemory(FIRST_BITS);
        bits = FIRST_BITS;
        size = 0;
    }

    private boolean set(String text, int item, boolean replace) {
        hash.reset().add(text).done();
        try {
            long at = find(slots, bits, hash.high(), hash.low());
            boolean free = ownerAt(at) == 0;
            if (!free && !replace) {
                return false;
            }
            write(slots, at, hash.high(), hash.low(), item + 1);
            if (free) {
                size++;
                if (size * 3L > (1L << bits) * 2) {
                    grow();
                }
            }
            return true;
        } catch (IOException e) {
            throw scratchFailed(e);
        }
    }

    /** After {@link #find} of this slot: its owner field is in the buffer {@link #one}. */
    private int ownerAt(long slot) throws IOException {
        slots.read(slot * SLOT, one.clear());
        return one.getInt(16);
    }

    /** @return number of the slot that holds the hash, or of the free one where it belongs */
    private long find(Slots in, int inBits, long high, long low) throws IOException {
        long count = 1L << inBits;
        long slot = high >>> 64 - inBits;
        while (true) {
            int n = (int) Math.min(WINDOW, count - slot);
            in.read(slot * SLOT, window.clear().limit(n * SLOT));
            for (int i = 0; i < n; i++, slot++) {
                int at = i * SLOT;
                if (window.getInt(at + 16) == 0 || window.getLong(at) == high && window.getLong(at + 8) == low) {
                    return slot;
                }
            }
            slot %= count;
        }
    }

    private void write(Slots to, long slot, long high, long low, int owner) throws IOException {
        one.clear().putLong(high).putLong(low).putInt(owner).putInt(0).flip();
        to.write(slot * SLOT, one);
    }

    /** Four times as large. */
    private void grow() throws IOException {
        int largerBits = bits + 2;
        var larger = largerBits > MEMORY_BITS ? inFile() : inMemory(largerBits);
        long count = 1L << bits;
        var some = ByteBuffer.allocate(1024 * SLOT);
        for (long slot = 0; slot < count; slot += 1024) {
            slots.read(slot * SLOT, some.clear());
            for (int at = 0; at < some.capacity(); at += SLOT) {
                int owner = some.getInt(at + 16);
                if (owner != 0) {
                    long high = some.getLong(at);
                    long low = some.getLong(at + 8);
                    write(larger, find(larger, largerBits, high, low), high, low, owner);
                }
            }
        }
        slots.close();
        slots = larger;
        bits = largerBits;
    }

    private static Slots inMemory(int bits) {
        var bytes = ByteBuffer.allocate(SLOT << bits);
        return new Slots() {
            @Override
            public void read(long position, ByteBuffer into) {
                into.put(bytes.slice((int) position, into.remaining()));
            }

            @Override
            public void write(long position, ByteBuffer from) {
                bytes.slice((int) position, from.remaining()).put(from);
            }

            @Override
            public void close() {}
        };
    }

    private Slots inFile() throws IOException {
        var file = new ScratchFile(scratch);
        return new Slots() {
            @Override
            public void read(long position, ByteBuffer into) throws IOException {
                file.read(into, position);
                // Never written: free slots.
                while (into.hasRemaining()) {
                    into.put((byte) 0);
                }
            }

            @Override
            public void write(long position, ByteBuffer from) throws IOException {
                file.write(from, position);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    private UncheckedIOException scratchFailed(IOException e) {
        return new UncheckedIOException("the scratch folder " + scratch + " cannot be used", e);
    }

    @Override
    public void close() {
        try {
            slots.close();
        } catch (IOException e) {
            // Scratch only.
        }
    }
}
