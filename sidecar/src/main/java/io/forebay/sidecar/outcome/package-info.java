/** How a job ends, in words and numbers: exit codes, and the refusal that carries one. Not here: how an item ends (item). */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.outcome;
