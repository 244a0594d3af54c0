package io.forebay.sidecar.coordinator;

import java.time.Instant;

/**
 * A worker that the end of a run waits for.
 *
 * @param name empty: whoever an earlier coordinator knew and who has not registered yet
 * @param node the machine it runs on; empty: not known
 * @param items that it holds; 0: it has not heard yet that the run is over
 * @param heardAt when it was heard of last
 * @param until most time that it is waited for
 */
public record AwaitedWorker(String name, String node, int items, Instant heardAt, Instant until) {}
