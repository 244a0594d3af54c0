/** The programs that Forebay is measured against, as their manuals tune them. */
@org.jspecify.annotations.NullMarked
package io.forebay.bench.peer;
