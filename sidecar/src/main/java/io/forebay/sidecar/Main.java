package io.forebay.sidecar;

import io.forebay.sidecar.cli.ForebayCommand;

/** The {@code forebay} command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(ForebayCommand.execute(args));
    }
}
