/** The loop: observe, decide, act, tell. */
@org.jspecify.annotations.NullMarked
package io.forebay.operator.reconcile;
