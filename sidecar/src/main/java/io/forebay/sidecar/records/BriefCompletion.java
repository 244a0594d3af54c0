package io.forebay.sidecar.records;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.forebay.message.MessageJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A completion record without inputs, steps and all that is only for people: several times as fast to read.
 *
 * @param finalUris of its outputs
 * @param hasUnexported the whole record names outputs that are not exported
 */
public record BriefCompletion(
        String id, String content, int generation, int attempt, List<String> finalUris, boolean hasUnexported) {
    public BriefCompletion {
        finalUris = List.copyOf(finalUris);
    }

    static BriefCompletion parse(byte[] json, int from, int to) throws RecordsDamagedException {
        try (var p = MessageJson.MAPPER.getFactory().createParser(json, from, to - from)) {
            var id = "";
            var content = "";
            int generation = 0;
            int attempt = 0;
            boolean unexported = false;
            var uris = new ArrayList<String>();
            p.nextToken();
            for (var name = p.nextFieldName(); name != null; name = p.nextFieldName()) {
                p.nextToken();
                switch (name) {
                    case "id" -> id = p.getText();
                    case "content" -> content = p.getText();
                    case "generation" -> generation = p.getIntValue();
                    case "attempt" -> attempt = p.getIntValue();
                    case "outputs" -> readUris(p, uris);
                    case "unexported" -> {
                        unexported = p.nextToken() != JsonToken.END_ARRAY;
                        while (p.currentToken() != JsonToken.END_ARRAY) {
                            p.skipChildren();
                            p.nextToken();
                        }
                    }
                    default -> p.skipChildren();
                }
            }
            return new BriefCompletion(id, content, generation, attempt, uris, unexported);
        } catch (IOException e) {
            throw new RecordsDamagedException("completion record not understood: " + e.getMessage(), e);
        }
    }

    private static void readUris(JsonParser p, List<String> uris) throws IOException {
        while (p.nextToken() != JsonToken.END_ARRAY) {
            for (var name = p.nextFieldName(); name != null; name = p.nextFieldName()) {
                p.nextToken();
                if (name.equals("finalUri")) {
                    uris.add(p.getText());
                } else {
                    p.skipChildren();
                }
            }
        }
    }
}
