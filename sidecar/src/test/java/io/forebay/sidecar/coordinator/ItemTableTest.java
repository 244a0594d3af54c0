package io.forebay.sidecar.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.item.ItemEvent;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.plan.Identity;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ItemTableTest {
    @Test
    @DisplayName("the item table finds every id, counts states, and refuses an id twice")
    void itemTable() {
        var table = new ItemTable();
        for (int i = 0; i < 10_000; i++) {
            assertThat(table.add(Identity.ofText("item" + i))).isTrue();
        }
        assertThat(table.add(Identity.ofText("item5"))).isFalse();
        table.ready();
        for (int i = 0; i < 10_000; i++) {
            assertThat(table.find(Identity.ofText("item" + i))).isEqualTo(i);
            assertThat(table.id(i)).isEqualTo(Identity.ofText("item" + i));
        }
        assertThat(table.find(Identity.ofText("none"))).isEqualTo(-1);
        table.apply(7, ItemEvent.LEASE);
        assertThat(table.count(ItemState.PENDING)).isEqualTo(9_999);
        assertThat(table.state(7)).isEqualTo(ItemState.LEASED);
        assertThatThrownBy(() -> table.apply(7, ItemEvent.LEASE)).isInstanceOf(IllegalStateException.class);
    }
}
