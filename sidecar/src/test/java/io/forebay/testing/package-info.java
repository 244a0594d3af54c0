/**
 * Fakes by hand, and servers, shared by the tests of several packages. Start at {@link io.forebay.testing.MemoryStore}. Servers:
 * {@link io.forebay.testing.S3ProxyServer}, in process; {@link io.forebay.testing.VersityGw}, written by others, a process of its
 * own; {@link io.forebay.testing.ScriptedS3}, which lies and breaks on request; {@link io.forebay.testing.SlowProxy}, distance for
 * any of them.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.testing;
