package io.forebay.sidecar.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * A folder in memory that forgets, as a disk does in a power cut: of what was not synced any sectors may be missing, and
 * any of the last changes of names. Its power may also go at a given call, and single calls may fail.
 */
final class LossyFolder implements LogFolder {
    /** The power went in the middle of a call. */
    static final class PowerCut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final int SECTOR = 512;

    private Map<String, Content> names = new HashMap<>();
    private Map<String, Content> durableNames = new HashMap<>();
    private final List<Map<String, Content>> unsyncedNames = new ArrayList<>();
    private long callsLeft = Long.MAX_VALUE;
    private long fullAt = Long.MAX_VALUE;
    private int failingForces;
    int forces;
    int created;

    private static final class Content {
        byte[] bytes = new byte[0];
        byte[] durable = new byte[0];
        final TreeSet<Integer> dirty = new TreeSet<>();

        void force() {
            var grown = Arrays.copyOf(durable, bytes.length);
            for (int s : dirty) {
                copySector(grown, s);
            }
            durable = grown;
            dirty.clear();
        }

        private void copySector(byte[] to, int sector) {
            int from = sector * SECTOR;
            int end = Math.min(Math.min(from + SECTOR, bytes.length), to.length);
            if (from < end) {
                System.arraycopy(bytes, from, to, from, end - from);
            }
        }

        void lose(RandomGenerator random) {
            int size = random.nextBoolean() ? bytes.length : durable.length;
            var left = Arrays.copyOf(durable, size);
            boolean inOrder = random.nextBoolean();
            int kept = random.nextInt(dirty.size() + 1);
            int seen = 0;
            for (int s : dirty) {
                if (inOrder ? seen++ < kept : random.nextBoolean()) {
                    copySector(left, s);
                }
            }
            bytes = left;
            durable = left.clone();
            dirty.clear();
        }
    }

    /** The power goes at the n-th call from now on (0: the next one). */
    void cutPowerAfter(long calls) {
        callsLeft = calls;
    }

    /** No file grows beyond it. */
    void fullAt(long bytes) {
        fullAt = bytes;
    }

    void failForces(int n) {
        failingForces = n;
    }

    /** What the next start finds. */
    void restart(RandomGenerator random) {
        callsLeft = Long.MAX_VALUE;
        int applied = random.nextInt(unsyncedNames.size() + 1);
        names = applied == 0 ? durableNames : unsyncedNames.get(applied - 1);
        names = new HashMap<>(names);
        durableNames = new HashMap<>(names);
        unsyncedNames.clear();
        names.values().stream().distinct().forEach(c -> c.lose(random));
    }

    byte[] bytes(String name) {
        return names.get(name).bytes;
    }

    private void call() {
        if (callsLeft-- <= 0) {
            throw new PowerCut();
        }
    }

    private void namesChanged() {
        unsyncedNames.add(new HashMap<>(names));
    }

    @Override
    public boolean exists(String name) {
        return names.containsKey(name);
    }

    @Override
    public LogFile open(String name) {
        return new OpenFile(names.get(name));
    }

    @Override
    public LogFile create(String name) {
        call();
        created++;
        var content = new Content();
        names.put(name, content);
        namesChanged();
        return new OpenFile(content);
    }

    @Override
    public void rename(String from, String to) {
        call();
        names.put(to, names.remove(from));
        namesChanged();
    }

    @Override
    public void delete(String name) {
        call();
        names.remove(name);
        namesChanged();
    }

    @Override
    public void sync() {
        call();
        durableNames = new HashMap<>(names);
        unsyncedNames.clear();
    }

    @Override
    public String path(String name) {
        return "/lossy/" + name;
    }

    private final class OpenFile implements LogFile {
        private final Content content;

        OpenFile(Content content) {
            this.content = content;
        }

        @Override
        public long size() {
            return content.bytes.length;
        }

        @Override
        public void read(ByteBuffer into, long offset) {
            int n = (int) Math.min(into.remaining(), Math.max(0, content.bytes.length - offset));
            into.put(content.bytes, (int) offset, n);
        }

        @Override
        public void write(ByteBuffer data, long offset) throws IOException {
            int end = (int) offset + data.remaining();
            if (end > fullAt && end > content.bytes.length) {
                throw new IOException("No space left on device");
            }
            if (end > content.bytes.length) {
                content.bytes = Arrays.copyOf(content.bytes, end);
            }
            boolean torn = callsLeft == 0;
            if (torn) {
                data.limit(data.position() + data.remaining() / 2);
            }
            int n = data.remaining();
            data.get(content.bytes, (int) offset, n);
            for (int s = (int) offset / SECTOR; s * SECTOR < offset + n; s++) {
                content.dirty.add(s);
            }
            call();
        }

        @Override
        public void force() throws IOException {
            call();
            forces++;
            if (failingForces > 0) {
                failingForces--;
                content.dirty.clear(); // as Linux does: the pages count as clean, the disk does not have them
                throw new IOException("Input/output error");
            }
            content.force();
        }

        @Override
        public void truncate(long size) {
            call();
            content.bytes = Arrays.copyOf(content.bytes, (int) size);
        }

        @Override
        public void close() {}
    }
}
