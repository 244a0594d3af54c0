package io.forebay.sidecar.step;

/** The last {@value #SIZE} bytes of a stream. Not thread-safe. */
final class Tail {
    static final int SIZE = 8 * 1024;

    private final byte[] ring = new byte[SIZE];
    private long total;

    void add(byte[] bytes, int length) {
        for (int i = Math.max(0, length - SIZE); i < length; i++) {
            ring[(int) ((total + i) % SIZE)] = bytes[i];
        }
        total += length;
    }

    byte[] bytes() {
        int kept = (int) Math.min(total, SIZE);
        int from = total < SIZE ? 0 : (int) (total % SIZE);
        var result = new byte[kept];
        System.arraycopy(ring, from, result, 0, kept - from);
        System.arraycopy(ring, 0, result, kept - from, from);
        return result;
    }
}
