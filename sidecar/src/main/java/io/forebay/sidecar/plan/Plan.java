package io.forebay.sidecar.plan;

import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.spool.JsonSpool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * All items of a job, in order, in scratch files; small in heap. Read by any thread once it is whole.
 */
public final class Plan implements AutoCloseable {
    /**
     * @param files of all items and the shared ones
     * @param bytes of these
     * @param outsideGroups files that belong to no group, and FIFOs and the like
     * @param unusable selected files that can be no input
     * @param warnings for the user, before anything starts
     */
    public record Totals(
            int items,
            long files,
            long bytes,
            int sharedFiles,
            long sharedBytes,
            long outsideGroups,
            long unusable,
            List<String> warnings) {
        public Totals {
            warnings = List.copyOf(warnings);
        }
    }

    private static final int ID_AT = "{\"id\":\"".length();
    private static final int ID_LENGTH = 32;

    private final JsonSpool items;
    private final JsonSpool shared;
    private final JsonSpool leftOut;
    private Totals totals = new Totals(0, 0, 0, 0, 0, 0, 0, List.of());

    public Plan(Path scratch) throws IOException {
        items = new JsonSpool(scratch);
        shared = new JsonSpool(scratch);
        leftOut = new JsonSpool(scratch);
    }

    public Totals totals() {
        return totals;
    }

    public int size() {
        return items.size();
    }

    /** @throws IndexOutOfBoundsException not in the plan */
    public PlanItem item(long index) {
        return items.get(index, PlanItem.class);
    }

    /** The id of an item, without reading all of it: it is the first member of the JSON text. */
    public String idOf(long index) {
        try {
            return new String(items.get(index), ID_AT, ID_LENGTH, java.nio.charset.StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("the scratch folder cannot be read", e);
        }
    }

    /** Inputs that all items share. */
    public List<ItemInput> shared() {
        return shared.asList(ItemInput.class);
    }

    /** Files that no item gets, by name. */
    public List<LeftOut> leftOut() {
        return leftOut.asList(LeftOut.class);
    }

    public JsonSpool items() {
        return items;
    }

    public JsonSpool sharedSpool() {
        return shared;
    }

    public JsonSpool leftOutSpool() {
        return leftOut;
    }

    public void finish(Totals whole) throws IOException {
        items.finish();
        shared.finish();
        leftOut.finish();
        totals = whole;
    }

    @Override
    public void close() {
        try (items;
                shared;
                leftOut) {
            // Scratch only.
        } catch (IOException e) {
            // Nothing that anybody needs is lost.
        }
    }
}
