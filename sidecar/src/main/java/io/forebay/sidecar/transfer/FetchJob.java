package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Version;

/** What the parts of one fetch have in common. */
record FetchJob(Tools tools, Store store, Version version, Lane lane, Gate.Claim claim, FetchTarget target) {
    String what() {
        return "reading " + version.key();
    }
}
