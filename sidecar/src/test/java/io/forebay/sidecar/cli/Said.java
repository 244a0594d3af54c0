package io.forebay.sidecar.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What a command, run within the test's process, printed on both outputs, and how it ended. Users lock System.out and System.err. */
record Said(int exit, String text) {
    static Said of(String... args) {
        var out = System.out;
        var err = System.err;
        var bytes = new ByteArrayOutputStream();
        try (var both = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            System.setOut(both);
            System.setErr(both);
            return new Said(ForebayCommand.execute(args), bytes.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }
}
