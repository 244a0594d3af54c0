/** What was measured, for people: a table and bar charts. */
@org.jspecify.annotations.NullMarked
package io.forebay.bench.report;
