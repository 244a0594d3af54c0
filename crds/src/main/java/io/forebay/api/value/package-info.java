/** Values of the manifest, parsed strictly and exactly: bytes, durations, store URIs, globs. Pure; no I/O. */
@org.jspecify.annotations.NullMarked
package io.forebay.api.value;
