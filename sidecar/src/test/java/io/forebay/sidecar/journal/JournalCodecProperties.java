package io.forebay.sidecar.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class JournalCodecProperties {
    @Provide
    Arbitrary<JournalRecord> records() {
        return SomeRecords.any();
    }

    @Property(tries = 1000)
    void everyRecordSurvivesItsPayload(@ForAll("records") JournalRecord record) throws IOException {
        var payload = JournalCodec.encode(record);
        assertThat(JournalCodec.decode(JournalCodec.typeNumber(record), payload))
                .isEqualTo(record);
    }

    @Property(tries = 300)
    void payloadsAreAsciiWithoutZeros(@ForAll("records") JournalRecord record) {
        var payload = JournalCodec.encode(record);
        for (int i = 0; i < payload.remaining(); i++) {
            assertThat(payload.get(i)).isBetween((byte) 0x20, (byte) 0x7F);
        }
        assertThat(payload.get(payload.limit() - 1)).isEqualTo((byte) '}');
    }
}
