package io.forebay.sidecar.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.forebay.api.name.Printable;
import io.forebay.message.JobEnd;
import io.forebay.message.MessageJson;
import io.forebay.sidecar.apart.OnSigterm;
import io.forebay.sidecar.local.JobEnds;
import io.forebay.sidecar.local.RunResult;
import io.forebay.sidecar.outcome.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes how a coordinator ends to a file, as a {@link JobEnd}: whatever writes last counts. In place, since kubelet's file is a mount of its
 * own that no rename can replace. Kubelet keeps the last 4096 bytes, which would not be JSON any more: so there are fewer.
 */
final class TerminationMessage implements EndListener {
    static final int MOST_BYTES = 2048;
    private static final String CUT = " ... (cut; the log has all of it)";

    private final Path file;
    private final OnSigterm onSigterm;
    private final PrintWriter err;

    /** @param err told when the file cannot be written */
    TerminationMessage(Path file, OnSigterm onSigterm, PrintWriter err) {
        this.file = file;
        this.onSigterm = onSigterm;
        this.err = err;
    }

    @Override
    public void ended(RunResult result) {
        result.end().ifPresent(this::write);
    }

    @Override
    public void signalled(int exitCode, String words) {
        var code = ExitCode.of(exitCode);
        write(
                code == ExitCode.CANCELLED_BY_TERM && onSigterm == OnSigterm.STEP_DOWN
                        ? JobEnds.steppedDown(exitCode, words)
                        : JobEnds.unplanned(exitCode, code.reason(), words));
    }

    void refused(CliException why) {
        write(JobEnds.unplanned(why.exitCode(), why.reason(), String.valueOf(why.getMessage())));
    }

    void fault(Throwable why) {
        write(JobEnds.unplanned(ExitCode.FAULT.number(), ExitCode.FAULT.reason(), "a fault of Forebay's own: " + why));
    }

    private synchronized void write(JobEnd end) {
        try {
            Files.write(file, json(end, MOST_BYTES));
        } catch (IOException e) {
            err.println("forebay: cannot write the termination message " + file + ": " + e);
        }
    }

    /** ASCII alone, whatever the message holds; the message is cut so that there are at most so many bytes. */
    static byte[] json(JobEnd end, int most) {
        var text = Printable.message(end.message());
        var whole = bytes(end.withMessage(text));
        if (whole.length <= most) {
            return whole;
        }
        int fits = 0;
        int tooLong = text.length();
        while (tooLong - fits > 1) {
            int middle = (fits + tooLong) >>> 1;
            if (bytes(cut(end, text, middle)).length <= most) {
                fits = middle;
            } else {
                tooLong = middle;
            }
        }
        return bytes(cut(end, text, fits));
    }

    private static JobEnd cut(JobEnd end, String text, int chars) {
        return end.withMessage(Printable.start(text, chars) + CUT);
    }

    private static byte[] bytes(JobEnd end) {
        try {
            return MessageJson.MAPPER.writeValueAsBytes(end);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a record of texts and numbers is always JSON", e);
        }
    }
}
