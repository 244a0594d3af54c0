/** Publishes what one attempt was granted. */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.commit;
