/**
 * Forebay beside its peers: every contender is a whole process, in turn, round by round; a figure is a ratio within one round. Start
 * at {@link io.forebay.bench.Main}.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.bench;
