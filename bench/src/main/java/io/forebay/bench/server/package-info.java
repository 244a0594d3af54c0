/** S3 servers written by others, each a process of its own over a folder. */
@org.jspecify.annotations.NullMarked
package io.forebay.bench.server;
