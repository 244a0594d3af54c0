/**
 * Fakes by hand, and servers, shared by the tests of several packages. Start at {@link io.forebay.testing.MemoryStore}. Servers:
 * {@link io.forebay.testing.S3ProxyServer} in process, {@link io.forebay.testing.VersityGw}, written by others and a process of
 * its own.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.testing;
