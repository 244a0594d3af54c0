package io.forebay.sidecar.plan;

/**
 * A file below an input that no item gets.
 *
 * @param input name of the input
 * @param key below the input's prefix; the whole key where it leaves the prefix
 * @param unusable the patterns select it, but it can be no input, so something is missing; false: it belongs to no group, or holds no bytes
 */
public record LeftOut(String input, String key, String why, boolean unusable) {}
