/** Lists and tables that may be larger than memory, in a scratch file each. Not here: anything durable. */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.spool;
