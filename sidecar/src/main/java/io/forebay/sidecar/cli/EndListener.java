package io.forebay.sidecar.cli;

import io.forebay.sidecar.local.RunResult;

/** Hears how a command that carries a job ends, before its process does. */
interface EndListener {
    EndListener NOBODY = new EndListener() {
        @Override
        public void ended(RunResult result) {}

        @Override
        public void signalled(int exitCode, String words) {}
    };

    void ended(RunResult result);

    /** A signal came before it had begun, or a second one ended it at once. May be called again, with more precise words. */
    void signalled(int exitCode, String words);
}
