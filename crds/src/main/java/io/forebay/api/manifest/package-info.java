/**
 * The text of a manifest, YAML or JSON, read strictly into records: where each fault is, and all of them at once. Knows
 * nothing of jobs. Start at {@link io.forebay.api.manifest.ManifestText}. Pure; no I/O.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.api.manifest;
