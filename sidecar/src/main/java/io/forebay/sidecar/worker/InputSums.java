package io.forebay.sidecar.worker;

import io.forebay.message.Messages.ItemInput;
import io.forebay.message.Messages.ItemLease;
import java.util.ArrayList;
import java.util.List;

/** Checksums of an item's inputs as they are told between attempts, which must all have read the same bytes. */
final class InputSums {
    private InputSums() {}

    /** @param crc32c of each input, in order; 0 for links and folders, which have none */
    static List<String> of(List<ItemInput> inputs, List<Long> crc32c) {
        var sums = new ArrayList<String>(inputs.size());
        for (int i = 0; i < inputs.size(); i++) {
            sums.add(hasBytes(inputs.get(i)) ? "%08x".formatted(crc32c.get(i)) : "");
        }
        return sums;
    }

    static boolean hasBytes(ItemInput input) {
        return input.link() == null && !input.relative().endsWith("/");
    }

    /**
     * Its version may be the same: stores differ in what they notice.
     *
     * @throws AttemptFailed an input is not what an earlier attempt read
     */
    static void requireAsBefore(ItemLease lease, List<String> sums) throws AttemptFailed {
        var before = lease.sums();
        if (before.size() != sums.size()) {
            return;
        }
        for (int i = 0; i < sums.size(); i++) {
            if (!before.get(i).equals(sums.get(i))) {
                throw new AttemptFailed(
                        Failures.otherBytes(lease.inputs().get(i).uri(), before.get(i), sums.get(i)));
            }
        }
    }
}
