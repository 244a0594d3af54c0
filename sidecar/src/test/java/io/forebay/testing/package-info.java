/** Fakes by hand, shared by the tests of several packages. Start at {@link io.forebay.testing.MemoryStore}. */
@org.jspecify.annotations.NullMarked
package io.forebay.testing;
