/**
 * System calls that Java has no exact words for, through the foreign function interface: names as bytes, errno kept. Start at
 * {@code Posix}. Not here: any policy.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.os;
