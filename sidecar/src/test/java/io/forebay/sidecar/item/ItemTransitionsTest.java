package io.forebay.sidecar.item;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ItemTransitionsTest {
    /** Every state and event: the state that follows, '-' where the event cannot happen. Columns in the order of ItemEvent. */
    private static final String TABLE = """
            state      LEASE  FETCH    MAKE_READY RUN     FLUSH    DECIDE     COMPLETE FIND_RECORD GIVE_BACK LOSE_PIECES FAIL   TRY_AGAIN
            PENDING    LEASED -        -          -       -        -          -        DONE        -         -           FAILED -
            LEASED     -      FETCHING READY      RUNNING FLUSHING COMMITTING -        -           PENDING   -           FAILED -
            FETCHING   -      FETCHING READY      RUNNING FLUSHING COMMITTING -        -           PENDING   -           FAILED -
            READY      -      -        READY      RUNNING FLUSHING COMMITTING -        -           PENDING   -           FAILED -
            RUNNING    -      -        READY      RUNNING FLUSHING COMMITTING -        -           PENDING   -           FAILED -
            FLUSHING   -      -        -          -       FLUSHING COMMITTING -        -           PENDING   -           FAILED -
            COMMITTING -      -        -          -       -        -          DONE     -           -         PENDING     FAILED -
            DONE       -      -        -          -       -        -          -        -           -         -           -      -
            FAILED     -      -        -          -       -        -          -        -           -         -           -      PENDING
            """;

    record Case(ItemState state, ItemEvent event, String next) {}

    static Stream<Case> cases() {
        var lines = TABLE.lines().map(l -> l.trim().split("\\s+")).toList();
        var events = lines.getFirst();
        var cases = new ArrayList<Case>();
        for (var line : lines.subList(1, lines.size())) {
            for (int i = 1; i < line.length; i++) {
                cases.add(new Case(ItemState.valueOf(line[0]), ItemEvent.valueOf(events[i]), line[i]));
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyStateAndEvent(Case c) {
        assertThat(ItemTransitions.allows(c.state, c.event)).isEqualTo(!c.next.equals("-"));
        if (c.next.equals("-")) {
            assertThatThrownBy(() -> ItemTransitions.next(c.state, c.event))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(c.state.name())
                    .hasMessageContaining(c.event.name());
        } else {
            assertThat(ItemTransitions.next(c.state, c.event)).isEqualTo(ItemState.valueOf(c.next));
        }
    }

    @Test
    @DisplayName("the table has every state and every event")
    void theTableIsWhole() {
        Map<String, List<ItemEvent>> seen = new TreeMap<>();
        cases().forEach(c ->
                seen.computeIfAbsent(c.state.name(), s -> new ArrayList<>()).add(c.event));
        assertThat(seen).hasSize(ItemState.values().length);
        assertThat(seen.values()).allSatisfy(events -> assertThat(events).containsExactly(ItemEvent.values()));
    }
}
