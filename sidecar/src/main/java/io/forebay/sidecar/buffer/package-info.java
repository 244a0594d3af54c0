/**
 * The buffer: tiers of memory and disk, a ledger of reservations in bytes, watermarks, eviction of clean data, growth of items.
 * Start at {@link io.forebay.sidecar.buffer.Buffer}. Not here: transfers, stores, item states.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.buffer;
