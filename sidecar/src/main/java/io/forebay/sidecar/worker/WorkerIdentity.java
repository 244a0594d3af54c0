package io.forebay.sidecar.worker;

/**
 * @param worker stable name of the place (pod index, node, "local")
 * @param instance this process life, random
 * @param node where it runs, for people and placement
 */
public record WorkerIdentity(String worker, String instance, String node) {}
