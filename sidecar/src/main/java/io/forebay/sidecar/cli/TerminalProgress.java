package io.forebay.sidecar.cli;

import io.forebay.sidecar.local.RunProgress;
import java.io.IOException;
import java.util.List;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jline.utils.Status;

/** Lines at the bottom of a terminal that change in place, with the output of the run scrolling above them. */
final class TerminalProgress implements ProgressView {
    private static final int WIDEST = 160;

    private final Terminal terminal;
    private final Status status;

    private TerminalProgress(Terminal terminal, Status status) {
        this.terminal = terminal;
        this.status = status;
    }

    /** @throws IOException if there is no usable terminal */
    static TerminalProgress open() throws IOException {
        var terminal = TerminalBuilder.builder().system(true).dumb(false).build();
        var status = Status.getStatus(terminal);
        if (status == null) {
            terminal.close();
            throw new IOException("terminal of type " + terminal.getType() + " has no status lines");
        }
        return new TerminalProgress(terminal, status);
    }

    @Override
    public void show(RunProgress p) {
        var bold = AttributedStyle.DEFAULT.bold();
        status.update(List.of(
                line(ProgressText.bar(p) + " " + ProgressText.items(p) + "  " + ProgressText.left(p), bold),
                line(
                        ProgressText.stages(p) + "   " + ProgressText.traffic(p) + "   " + ProgressText.buffer(p),
                        AttributedStyle.DEFAULT)));
    }

    private AttributedString line(String text, AttributedStyle style) {
        int width = Math.max(20, Math.min(WIDEST, terminal.getWidth() - 1));
        return new AttributedString(text.length() > width ? text.substring(0, width) : text, style);
    }

    @Override
    public void line(String text) {
        terminal.writer().println(text);
        terminal.flush();
    }

    @Override
    public void close() {
        status.hide();
        try {
            terminal.close();
        } catch (IOException e) {
            // The run's result does not depend on the terminal; there is nobody to tell.
            return;
        }
    }
}
