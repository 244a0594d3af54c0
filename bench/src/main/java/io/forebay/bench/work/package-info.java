/** The benchmarks: data, contenders, and how a result is checked. */
@org.jspecify.annotations.NullMarked
package io.forebay.bench.work;
