/** An item's states and what moves it from one to the next: pure, the same in all places. Start at {@link io.forebay.sidecar.item.ItemState}. */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.item;
