package io.forebay.bench.result;

import io.forebay.bench.measure.Sample;

/** @param round from 0; runs of one round are compared with each other */
public record Run(String contender, int round, Sample sample) {}
