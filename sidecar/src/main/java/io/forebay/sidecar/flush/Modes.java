package io.forebay.sidecar.flush;

import io.forebay.sidecar.os.Stat;

/** With which permissions files are published. */
@FunctionalInterface
public interface Modes {
    Modes AS_THEY_ARE = Stat::permissions;

    /** Permission bits, set-id and sticky ones included. */
    int of(Stat stat);
}
