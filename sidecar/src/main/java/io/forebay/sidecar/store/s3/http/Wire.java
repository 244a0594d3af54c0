package io.forebay.sidecar.store.s3.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLSocket;

/** Bytes to and from a server, in the clear or through TLS. One thread at a time; closed from any. */
sealed interface Wire {
    /** Blocks for at least one byte. @return -1 at the end */
    int read(ByteBuffer dst) throws IOException;

    /** Writes all of them. */
    void write(ByteBuffer first, ByteBuffer second) throws IOException;

    /** The channel as it is. */
    record Plain(SocketChannel channel) implements Wire {
        @Override
        public int read(ByteBuffer dst) throws IOException {
            return channel.read(dst);
        }

        @Override
        public void write(ByteBuffer first, ByteBuffer second) throws IOException {
            var both = new ByteBuffer[] {first, second};
            while (first.hasRemaining() || second.hasRemaining()) {
                channel.write(both);
            }
        }
    }

    /** Through a TLS socket that lies over the channel. */
    final class Tls implements Wire {
        /** The plaintext of one TLS record. */
        private static final int RECORD = 16 * 1024;

        private final InputStream in;
        private final OutputStream out;
        private final byte[] incoming = new byte[RECORD];
        private final byte[] outgoing = new byte[RECORD];

        Tls(SSLSocket socket) throws IOException {
            this.in = socket.getInputStream();
            this.out = socket.getOutputStream();
        }

        @Override
        public int read(ByteBuffer dst) throws IOException {
            int n = in.read(incoming, 0, Math.min(incoming.length, dst.remaining()));
            if (n > 0) {
                dst.put(incoming, 0, n);
            }
            return n;
        }

        @Override
        public void write(ByteBuffer first, ByteBuffer second) throws IOException {
            send(first);
            send(second);
            out.flush();
        }

        private void send(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                int n = Math.min(outgoing.length, bytes.remaining());
                bytes.get(outgoing, 0, n);
                out.write(outgoing, 0, n);
            }
        }
    }
}
