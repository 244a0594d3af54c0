package io.forebay.sidecar.store;

/**
 * What a store can do.
 *
 * @param inlineBelow files smaller than this many bytes are staged INLINE (S3: PUT at the commit); 0: never
 * @param exclusiveCreate whether createExclusively can be trusted; UNKNOWN until tested
 * @param maxKeyBytes longest key or name (S3: 1024 for the key; POSIX: 255 for each component)
 * @param anyBytes whether names may be other than UTF-8
 * @param keepsSymlinks whether symbolic links and modes exist there
 */
public record Capabilities(
        long inlineBelow, boolean exclusiveCreate, int maxKeyBytes, boolean anyBytes, boolean keepsSymlinks) {}
