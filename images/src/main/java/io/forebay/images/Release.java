package io.forebay.images;

import java.time.Instant;

/**
 * What an image says of its origin.
 *
 * @param revision the commit; empty where it is not known
 * @param time of the sources, not of the build: whole seconds
 */
record Release(String version, String revision, Instant time) {
    Release {
        if (time.getNano() != 0) {
            throw new IllegalArgumentException("archives know whole seconds only: " + time);
        }
    }
}
