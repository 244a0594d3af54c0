/** Inner loops of the engine, measured with JMH. Alone here the benchmarks know classes of the engine, besides its published models. */
@org.jspecify.annotations.NullMarked
package io.forebay.bench.inner;
