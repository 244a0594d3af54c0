package io.forebay.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * The JSON form of messages and records: ASCII only, so that names of any bytes (lone surrogates, see {@link
 * io.forebay.api.name.NameBytes}) survive; absent members are null; unknown members are ignored, since a newer side may send
 * more.
 */
public final class MessageJson {
    /** One step's log tail or one long name; the whole message is bounded by who reads it. */
    private static final int LONGEST_TEXT = 64 << 20;

    /** Thread-safe. */
    public static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(LONGEST_TEXT)
                            .build())
                    .build())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .serializationInclusion(JsonInclude.Include.NON_NULL)
            .build();

    private MessageJson() {}
}
