package io.forebay.operator.observe;

/**
 * Why pods of a job do not start.
 *
 * @param reason one word; docs/troubleshooting.md explains each
 * @param message for people, with the cluster's own words
 */
public record Trouble(String reason, String message) {}
