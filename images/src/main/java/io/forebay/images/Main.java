package io.forebay.images;

import picocli.CommandLine;

/** Called by {@code images/build}. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new PackCommand()).execute(args));
    }
}
