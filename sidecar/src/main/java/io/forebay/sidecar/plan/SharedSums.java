package io.forebay.sidecar.plan;

import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.spool.Hash128;
import io.forebay.sidecar.store.Version;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What identifies the files of each shared input, in short. Not thread-safe. */
final class SharedSums {
    private final Hash128 hash = new Hash128();
    private final Map<String, String> byInput = new LinkedHashMap<>();

    /** In the order of the plan. */
    void add(ItemInput file) {
        var pin = Identity.pin(Version.parse(file.relative(), file.pin()), false);
        byInput.merge(file.input(), one("", file, pin), (sum, first) -> one(sum, file, pin));
    }

    private String one(String sum, ItemInput file, String pin) {
        return hash.reset()
                .add(sum)
                .add(file.uri())
                .add(file.link() == null ? "" : file.link())
                .add(pin)
                .done()
                .hex();
    }

    /** Inputs that are not the same there; those that only the other has are none of this one's. */
    List<String> differing(SharedSums other) {
        return byInput.entrySet().stream()
                .filter(e -> !Objects.equals(e.getValue(), other.byInput.get(e.getKey())))
                .map(Map.Entry::getKey)
                .toList();
    }
}
