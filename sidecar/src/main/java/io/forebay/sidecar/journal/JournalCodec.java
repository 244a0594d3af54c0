package io.forebay.sidecar.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Records as payloads: JSON, one object, ASCII. Names that are no UTF-8 are lone surrogates in text (see NameBytes); escaped
 * they survive. A field that is unknown here is skipped.
 */
final class JournalCodec {
    /** Numbers are part of the format: never changed, never used again. 0 is never used. */
    private enum Type {
        ADMITTED(1, JournalRecord.Admitted.class),
        FETCHED(2, JournalRecord.Fetched.class),
        STEP_STARTED(3, JournalRecord.StepStarted.class),
        STEP_ENDED(4, JournalRecord.StepEnded.class),
        STAGED(5, JournalRecord.Staged.class),
        GRANTED(6, JournalRecord.Granted.class),
        OVER(7, JournalRecord.Over.class),
        KEPT(8, JournalRecord.Kept.class);

        private final int number;
        private final ObjectReader reader;
        private final ObjectWriter writer;

        Type(int number, Class<? extends JournalRecord> type) {
            this.number = number;
            this.reader = MAPPER.readerFor(type);
            this.writer = MAPPER.writerFor(type);
        }

        static @Nullable Type of(int number) {
            for (var t : values()) {
                if (t.number == number) {
                    return t;
                }
            }
            return null;
        }
    }

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private JournalCodec() {}

    private static Type type(JournalRecord entry) {
        return switch (entry) {
            case JournalRecord.Admitted a -> Type.ADMITTED;
            case JournalRecord.Fetched f -> Type.FETCHED;
            case JournalRecord.StepStarted s -> Type.STEP_STARTED;
            case JournalRecord.StepEnded s -> Type.STEP_ENDED;
            case JournalRecord.Staged s -> Type.STAGED;
            case JournalRecord.Granted g -> Type.GRANTED;
            case JournalRecord.Over o -> Type.OVER;
            case JournalRecord.Kept k -> Type.KEPT;
        };
    }

    static int typeNumber(JournalRecord entry) {
        return type(entry).number;
    }

    static boolean known(int typeNumber) {
        return Type.of(typeNumber) != null;
    }

    static boolean isOver(int typeNumber) {
        return typeNumber == Type.OVER.number;
    }

    static boolean isAdmitted(int typeNumber) {
        return typeNumber == Type.ADMITTED.number;
    }

    /** @throws IllegalArgumentException if it is larger than a frame may be */
    static ByteBuffer encode(JournalRecord entry) {
        try {
            var bytes = type(entry).writer.writeValueAsBytes(entry);
            if (bytes.length > JournalFormat.MAX_LENGTH - JournalFormat.FIXED_BYTES) {
                throw new IllegalArgumentException("record of item " + entry.item() + " has " + bytes.length
                        + " bytes, more than a journal takes (" + JournalFormat.MAX_LENGTH
                        + "): it names too many files");
            }
            return ByteBuffer.wrap(bytes);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("record of item " + entry.item() + " cannot be written", e);
        }
    }

    /** @throws IOException the payload is not such a record, although its checksum was right */
    static JournalRecord decode(int typeNumber, ByteBuffer payload) throws IOException {
        var type = Type.of(typeNumber);
        if (type == null) {
            throw new IOException("unknown type of record " + typeNumber);
        }
        if (payload.hasArray()) {
            return type.reader.readValue(
                    payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
        }
        var copy = new byte[payload.remaining()];
        payload.duplicate().get(copy);
        return type.reader.readValue(copy);
    }
}
