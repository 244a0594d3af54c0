/** What one run of a command cost, and what two commands cost against each other. */
@org.jspecify.annotations.NullMarked
package io.forebay.bench.measure;
