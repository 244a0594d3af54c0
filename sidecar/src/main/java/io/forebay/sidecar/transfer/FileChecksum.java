package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.io.EOFException;
import java.nio.ByteBuffer;

/** CRC32C of a file of the buffer; a large one is read by several threads. Holes are not read: their CRC is computed. */
final class FileChecksum {
    /** Large enough that a thread's start does not count, small enough to spread. */
    private static final long RANGE = 8L << 20;

    private final Tools tools;
    private final Lane lane;
    private final String path;
    private final Gate.Claim claim = new Gate.Claim();

    FileChecksum(Tools tools, Lane lane, String path) {
        this.tools = tools;
        this.lane = lane;
        this.path = path;
    }

    /** @param expectedSize -1: whatever it has */
    long value(long expectedSize) throws BufferIoException, InterruptedException {
        lane.enterFile();
        try (var file = new SharedFile<>(() -> tools.files().open(path))) {
            long size = size(file);
            if (expectedSize >= 0 && size < expectedSize) {
                throw ends(size, expectedSize);
            }
            long wanted = expectedSize >= 0 ? expectedSize : size;
            var checksum = new ChunkedChecksum();
            int ranges = Math.toIntExact(Math.ceilDiv(wanted, RANGE));
            if (ranges > 0) {
                Parallel.run(ranges, lane.most(), i -> {
                    long start = i * RANGE;
                    long end = Math.min(wanted, start + RANGE);
                    checksum.add(start, end - start, range(file, start, end));
                });
            }
            return checksum.value(wanted);
        } catch (StoreException e) {
            throw new IllegalStateException("there is no store in this", e);
        } finally {
            lane.leaveFile();
        }
    }

    private static long size(SharedFile<BufferFile> file) throws BufferIoException {
        var open = file.enter();
        try {
            return open.size();
        } finally {
            file.leave();
        }
    }

    private BufferIoException ends(long at, long wanted) {
        return new BufferIoException(path + " ends at byte " + at + " of " + wanted, false, new EOFException());
    }

    private long range(SharedFile<BufferFile> file, long start, long end)
            throws StoreException, BufferIoException, InterruptedException {
        return Send.<Long>once(
                tools, lane, claim, file, "reading " + path, end - start, moved -> {}, (send, scratch) -> {
                    var open = file.enter();
                    try {
                        long crc = Crc32c.EMPTY;
                        long at = start;
                        while (at < end) {
                            send.progressed();
                            long data = Math.min(end, open.nextData(at));
                            if (data > at) {
                                crc = Crc32c.combine(crc, Crc32c.zeros(data - at), data - at);
                                at = data;
                            } else {
                                scratch.clear().limit((int) Math.min(scratch.capacity(), end - at));
                                at += scratch.limit();
                                crc = append(crc, open, at - scratch.limit(), scratch);
                            }
                        }
                        return crc;
                    } finally {
                        file.leave();
                    }
                });
    }

    private long append(long crc, BufferFile open, long at, ByteBuffer scratch) throws BufferIoException {
        int wanted = scratch.remaining();
        int got = open.read(scratch, at);
        if (got < wanted) {
            throw ends(at + got, at + wanted);
        }
        return Crc32c.combine(crc, Crc32c.of(scratch.flip()), wanted);
    }
}
