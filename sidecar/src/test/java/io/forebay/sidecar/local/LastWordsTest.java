package io.forebay.sidecar.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** After a second signal what is said is true. */
class LastWordsTest {
    private static final String LIST = "file:///r/job/UNEXPORTED.jsonl";
    private static final String REST = "; data are kept in /b; finish with: forebay resume";

    private final LastWords words = new LastWords(LIST, "/b", Duration.ofSeconds(60));

    @Test
    @DisplayName("E2 a list that was written is named, with the number of outputs in it")
    void listed() {
        assertThat(words.of(() -> 1)).isEqualTo("1 output is not exported, listed in " + LIST + REST);
        assertThat(words.of(() -> 7)).isEqualTo("7 outputs are not exported, listed in " + LIST + REST);
    }

    @Test
    @DisplayName("E2 where nothing had to be listed, no list is claimed")
    void none() {
        assertThat(words.of(() -> 0)).isEqualTo("no finished output waits to be exported, so none is listed" + REST);
    }

    @Test
    @DisplayName("E2 a list that could not be written is not claimed; where the data are is told")
    void failed() {
        assertThat(words.of(() -> {
                    throw new StoreException(Kind.DENIED, "no space left");
                }))
                .isEqualTo("the list of what is not exported could not be written: no space left" + REST);
    }

    @Test
    @DisplayName("E2 a store that does not answer delays the last words no longer than they may take")
    void hanging() {
        var never = new CountDownLatch(1);
        var said = new LastWords(LIST, "/b", Duration.ofMillis(20)).of(() -> {
            never.await();
            return 1;
        });
        never.countDown();
        assertThat(said).isEqualTo("the list of what is not exported could not be completed in time" + REST);
    }
}
