package io.forebay.sidecar.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StoreFailuresTest {
    @Test
    @DisplayName(
            "records that cannot be kept: 74, or 75 where the store does not answer; that nothing was started is told after one full stop")
    void records() {
        var denied = StoreFailures.ofRecords(new StoreException(Kind.DENIED, "denied. Run as another one."));
        assertThat(denied.code()).isEqualTo(ExitCode.NOT_DURABLE);
        assertThat(denied).hasMessage("records cannot be kept: denied. Run as another one. Nothing was started");
        var away = StoreFailures.ofRecords(new StoreException(Kind.TRANSIENT, "no answer"));
        assertThat(away.code()).isEqualTo(ExitCode.PASSING);
        assertThat(away).hasMessage("records cannot be kept: no answer. Nothing was started");
    }
}
