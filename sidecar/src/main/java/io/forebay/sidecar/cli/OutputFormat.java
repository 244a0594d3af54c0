package io.forebay.sidecar.cli;

/** How findings are written; the values of {@code -o}. */
enum OutputFormat {
    text,
    json
}
