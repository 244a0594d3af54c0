package io.forebay.sidecar.store.s3.http;

import io.forebay.sidecar.store.s3.http.ResponseHead.Framing;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;

/** The body of one answer. One thread. */
public final class ResponseBody {
    /** Extensions and trailers are short. */
    private static final int MAX_LINE = 4096;

    private final Connection connection;
    private final Framing framing;
    /** Of the body, or of the current chunk. */
    private long remaining;

    private long received;
    private boolean ended;
    private boolean firstChunk = true;

    ResponseBody(Connection connection, Framing framing) {
        this.connection = connection;
        this.framing = framing;
        switch (framing) {
            case Framing.Length(long bytes) -> {
                remaining = bytes;
                ended = bytes == 0;
            }
            case Framing.Chunked c -> remaining = 0;
            case Framing.UntilClose u -> remaining = Long.MAX_VALUE;
        }
    }

    /**
     * Blocks for at least one byte.
     *
     * @param dst has room
     * @return -1 at the end
     * @throws EOFException the connection was closed before the end that the head announced
     */
    public int read(ByteBuffer dst) throws IOException {
        if (ended || (remaining == 0 && !nextChunk())) {
            return -1;
        }
        int limit = dst.limit();
        dst.limit(dst.position() + (int) Math.min(dst.remaining(), remaining));
        int n;
        try {
            n = connection.read(dst);
        } finally {
            dst.limit(limit);
        }
        if (n < 0) {
            return closed();
        }
        received += n;
        remaining -= n;
        ended = remaining == 0 && framing instanceof Framing.Length;
        return n;
    }

    private int closed() throws EOFException {
        if (framing instanceof Framing.UntilClose) {
            ended = true;
            return -1;
        }
        throw new EOFException("the server closed the connection after " + received + " bytes of the body"
                + (framing instanceof Framing.Length(long bytes) ? " of " + bytes : ""));
    }

    /** @return false at the last chunk */
    private boolean nextChunk() throws IOException {
        if (!firstChunk && !ResponseHead.line(connection, MAX_LINE).isEmpty()) {
            throw new ProtocolException("a chunk is longer than it says");
        }
        firstChunk = false;
        var line = ResponseHead.line(connection, MAX_LINE);
        int semicolon = line.indexOf(';');
        var size = (semicolon < 0 ? line : line.substring(0, semicolon)).strip();
        if (!size.matches("[0-9a-fA-F]{1,15}")) {
            throw new ProtocolException("not the size of a chunk: '" + size + "'");
        }
        remaining = Long.parseLong(size, 16);
        if (remaining > 0) {
            return true;
        }
        while (!ResponseHead.line(connection, MAX_LINE).isEmpty()) {}
        ended = true;
        return false;
    }

    /** Reads what is left, if that is little. @return whether the end was reached, so that the connection can be used again */
    boolean drain(int most) throws IOException {
        var rest = ByteBuffer.allocate(4096);
        int drained = 0;
        while (!ended && drained <= most && (framing instanceof Framing.Chunked || remaining <= most)) {
            if (read(rest.clear()) < 0) {
                break;
            }
            drained += rest.position();
        }
        return ended;
    }
}
