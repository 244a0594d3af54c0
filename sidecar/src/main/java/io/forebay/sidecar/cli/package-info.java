/** The {@code forebay} command. Only this package prints and exits. */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.cli;
