package io.forebay.sidecar.cli;

import io.forebay.sidecar.local.RunProgress;

/** Shows where a run stands. Used by one thread. */
interface ProgressView extends AutoCloseable {
    /** Called about four times a second. */
    void show(RunProgress progress);

    /** A line that stays. */
    void line(String text);

    @Override
    void close();

    /** Nothing at all: {@code --progress none}. */
    final class Silent implements ProgressView {
        @Override
        public void show(RunProgress progress) {}

        @Override
        public void line(String text) {}

        @Override
        public void close() {}
    }
}
