/** Names of files and objects: bytes outside, text inside. Start at {@link io.forebay.api.name.NameBytes}. */
@org.jspecify.annotations.NullMarked
package io.forebay.api.name;
