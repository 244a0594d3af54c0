package io.forebay.sidecar.os;

import io.forebay.api.name.NameBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Native memory for the arguments of one system call: errno, two names, one structure. Taken from a small pool and given back
 * by {@link #close}; one that a hung call holds is replaced by a new one. Not thread-safe.
 */
final class Scratch implements AutoCloseable {
    /** PATH_MAX of Linux, with the closing NUL: the kernel refuses longer paths with ENAMETOOLONG. */
    static final int PATH_MAX = 4096;

    /** Larger than any structure passed here (struct statx: 256). */
    private static final int STRUCT = 512;

    private static final int ERRNO = 16;

    /** As many as calls run at once in practice; more are made when needed and then thrown away. */
    private static final ArrayBlockingQueue<Scratch> POOL = new ArrayBlockingQueue<>(64);

    final MemorySegment errno;
    private final MemorySegment first;
    private final MemorySegment second;
    private final MemorySegment struct;

    private Scratch() {
        var all = Arena.ofAuto().allocate(ERRNO + STRUCT + 2L * PATH_MAX, 16);
        errno = all.asSlice(0, ERRNO);
        struct = all.asSlice(ERRNO, STRUCT);
        first = all.asSlice(ERRNO + STRUCT, PATH_MAX);
        second = all.asSlice(ERRNO + STRUCT + PATH_MAX, PATH_MAX);
    }

    static Scratch take() {
        var pooled = POOL.poll();
        return pooled == null ? new Scratch() : pooled;
    }

    @Override
    public void close() {
        POOL.offer(this);
    }

    int errnoNumber() {
        return errno.get(ValueLayout.JAVA_INT, 0);
    }

    /** 512 bytes, whatever was in them before. */
    MemorySegment struct() {
        return struct;
    }

    /** Address of the name, NUL-terminated; valid until the next call of this method or {@link #close}. */
    long name(String call, String name) throws PosixException {
        return put(first, call, name);
    }

    /** As {@link #name}, for the second name of the same call. */
    long secondName(String call, String name) throws PosixException {
        return put(second, call, name);
    }

    /** 4096 bytes, the place of the second name, for what a call answers. */
    MemorySegment answer() {
        return second;
    }

    private static long put(MemorySegment place, String call, String name) throws PosixException {
        if (!putAscii(place, name)) {
            putBytes(place, call, name);
        }
        return place.address();
    }

    /** @return false if it is not short plain ASCII */
    private static boolean putAscii(MemorySegment place, String name) {
        int n = name.length();
        if (n >= PATH_MAX) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            char c = name.charAt(i);
            if (c == 0 || c >= 0x80) {
                return false;
            }
        }
        MemorySegment.copy(name.getBytes(StandardCharsets.ISO_8859_1), 0, place, ValueLayout.JAVA_BYTE, 0, n);
        place.set(ValueLayout.JAVA_BYTE, n, (byte) 0);
        return true;
    }

    private static void putBytes(MemorySegment place, String call, String name) throws PosixException {
        if (name.indexOf(0) >= 0) {
            throw PosixException.badName(call, name, "the name holds a NUL character, which no file name can");
        }
        byte[] bytes;
        try {
            bytes = NameBytes.encode(name);
        } catch (IllegalArgumentException e) {
            throw PosixException.badName(call, name, "the name cannot be written as bytes");
        }
        if (bytes.length >= PATH_MAX) {
            throw new PosixException(Errno.ENAMETOOLONG.number(), call, name);
        }
        MemorySegment.copy(bytes, 0, place, ValueLayout.JAVA_BYTE, 0, bytes.length);
        place.set(ValueLayout.JAVA_BYTE, bytes.length, (byte) 0);
    }

    /** The name made of bytes that the kernel gave. */
    static String text(byte[] bytes) {
        for (byte b : bytes) {
            if (b < 0) {
                return NameBytes.decode(bytes);
            }
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
