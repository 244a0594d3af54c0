/** One buffer and its steps: takes items through fetch, steps, flush, commit. The only package that sees all stages. */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.worker;
