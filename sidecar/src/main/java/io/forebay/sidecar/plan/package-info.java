/** From a manifest to the plan: inputs listed and pinned, items made, identities computed, what looks wrong told. Not here: who runs an item (coordinator). */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.plan;
