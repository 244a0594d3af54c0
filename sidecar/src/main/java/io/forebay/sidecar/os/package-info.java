/**
 * System calls that Java has no exact words for, through the foreign function interface: names as bytes, errno kept. Linux with
 * glibc, x86_64 and aarch64. Start at {@link io.forebay.sidecar.os.Posix} (names and metadata) and {@link
 * io.forebay.sidecar.os.PosixIo} (bytes). Not here: any policy.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.os;
