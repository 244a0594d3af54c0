/**
 * What a benchmark was to reach and what it came to, pure, and how that is kept in files. Start at {@link
 * io.forebay.bench.result.Outcome}.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.bench.result;
