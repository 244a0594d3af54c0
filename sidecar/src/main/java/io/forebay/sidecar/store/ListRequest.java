package io.forebay.sidecar.store;

import io.forebay.api.job.Job.SymlinkPolicy;

/**
 * @param key folder, prefix or one file
 * @param fixedPrefix text that every wanted key begins with, below {@code key} (from the globs' literal start); may be empty
 * @param folders whether empty folders are wanted too
 */
public record ListRequest(String key, String fixedPrefix, SymlinkPolicy symlinks, boolean folders) {}
