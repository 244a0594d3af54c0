/** The manifest after validation: typed, defaulted, immutable. Start at {@link io.forebay.api.job.Job}. Pure; no I/O. */
@org.jspecify.annotations.NullMarked
package io.forebay.api.job;
