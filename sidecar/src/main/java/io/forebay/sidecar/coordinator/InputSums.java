package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.spool.JsonSpool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What the first attempt of an item that was run again had read: the checksums of its inputs, in a scratch file. Guarded by the
 * core's lock.
 */
final class InputSums implements AutoCloseable {
    private final JsonSpool lists;
    /** By item: the number of its list, from 1; 0: none. As long as the highest item needs it. */
    private int[] numbers = {};

    /** @param scratch a local folder, writable */
    InputSums(Path scratch) throws IOException {
        this.lists = new JsonSpool(scratch);
    }

    /** The first attempt's count. @param sums as in an item's lease; no elements: not known */
    void note(int item, List<String> sums) {
        if (sums.isEmpty() || item < numbers.length && numbers[item] != 0) {
            return;
        }
        if (item >= numbers.length) {
            numbers = Arrays.copyOf(numbers, Math.max(item + 1, numbers.length + (numbers.length >> 1)));
        }
        try {
            lists.append(sums);
            lists.finish();
        } catch (IOException e) {
            throw new UncheckedIOException("the scratch folder cannot be written", e);
        }
        numbers[item] = lists.size();
    }

    /** @return no elements: not known */
    List<String> of(int item) {
        if (item >= numbers.length || numbers[item] == 0) {
            return List.of();
        }
        return List.of(lists.get(numbers[item] - 1, String[].class));
    }

    /** A new run reads what is there now. */
    void clear() {
        numbers = new int[0];
        try {
            lists.clear();
        } catch (IOException e) {
            throw new UncheckedIOException("the scratch folder cannot be written", e);
        }
    }

    @Override
    public void close() {
        try {
            lists.close();
        } catch (IOException e) {
            // Scratch only.
        }
    }
}
