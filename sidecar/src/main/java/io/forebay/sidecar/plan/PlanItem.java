package io.forebay.sidecar.plan;

import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.spool.JsonSpool;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
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

    /** The JSON text of an item, put together from its inputs' texts; the id comes first, see {@link Plan#idOf}. */
    public static byte[] json(String id, String content, String key, List<PlannedFile> inputs) {
        var out = new ByteArrayOutputStream(256);
        text(out, "{\"id\":\"" + id + "\",\"content\":\"" + content + "\",\"key\":");
        out.writeBytes(JsonSpool.json(key));
        text(out, ",\"inputs\":[");
        for (int i = 0; i < inputs.size(); i++) {
            if (i > 0) {
                out.write(',');
            }
            out.writeBytes(inputs.get(i).json());
        }
        text(out, "]}");
        return out.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String ascii) {
        out.writeBytes(ascii.getBytes(StandardCharsets.US_ASCII));
    }
}
