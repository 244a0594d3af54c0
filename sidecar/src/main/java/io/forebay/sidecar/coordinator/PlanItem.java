package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.ItemInput;
import java.util.List;

/**
 * One item of the plan.
 *
 * @param id hash of its identity
 * @param content hash of the same without the inputs' inodes and change times
 * @param key what people call it
 * @param inputs its own, without those that all items share
 */
public record PlanItem(String id, String content, String key, List<ItemInput> inputs) {
    public PlanItem {
        inputs = List.copyOf(inputs);
    }

    long inputBytes() {
        return inputs.stream().mapToLong(ItemInput::size).sum();
    }
}
