package io.forebay.bench.result;

/**
 * A place on a curve that is drawn from several outcomes.
 *
 * @param curve of one benchmark, the same for all its points; part of a file's name
 * @param axis what {@code x} is
 */
public record Point(String curve, String axis, double x) {}
