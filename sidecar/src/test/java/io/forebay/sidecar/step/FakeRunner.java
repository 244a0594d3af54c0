package io.forebay.sidecar.step;

import io.forebay.sidecar.step.FrameReader.ProtocolException;
import io.forebay.sidecar.step.StepHost.CommandId;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A peer of the server's that says what a test wants. */
final class FakeRunner implements AutoCloseable {
    private final SocketChannel channel;
    private final Peer peer;

    FakeRunner(SocketPath socket) throws IOException {
        channel = SocketChannel.open(UnixDomainSocketAddress.of(socket.path()));
        peer = new Peer(channel);
    }

    /** Introduces itself, and is welcomed. */
    static FakeRunner welcomed(SocketPath socket, String seat, String step, int slots, String instance)
            throws Exception {
        var runner = new FakeRunner(socket);
        runner.send(hello(Steps.TOKEN, seat, step, slots, instance));
        runner.expect(Protocol.WELCOME);
        return runner;
    }

    static FrameWriter hello(String token, String seat, String step, int slots, String instance) {
        return new FrameWriter(Protocol.HELLO)
                .u32(Protocol.MAGIC)
                .u16(Protocol.VERSION)
                .u8(Protocol.ROLE_STEP)
                .text(token)
                .text(seat)
                .text(step)
                .u32(slots)
                .u64(1)
                .text(instance)
                .u32(0)
                .text("");
    }

    FakeRunner send(FrameWriter frame) throws IOException {
        raw(frame.frame());
        return this;
    }

    FakeRunner send(int type, CommandId id) throws IOException {
        return send(new FrameWriter(type).id(id));
    }

    FakeRunner announced() throws IOException {
        return send(new FrameWriter(Protocol.ANNOUNCED));
    }

    FakeRunner end(CommandId id, int exit, int flags) throws IOException {
        return send(new FrameWriter(Protocol.END)
                .id(id)
                .u8(exit)
                .u8(0)
                .u8(flags)
                .u64(1)
                .u64(2)
                .u64(3)
                .u64(4)
                .text("tail")
                .text(""));
    }

    void raw(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    FrameReader read() throws IOException, ProtocolException {
        return peer.read(Protocol.MAX_FRAME);
    }

    FrameReader expect(int type) throws IOException, ProtocolException {
        var frame = read();
        if (frame.type != type) {
            throw new AssertionError("expected a frame of type %02x, got %02x".formatted(type, frame.type));
        }
        return frame;
    }

    CommandId expectId(int type) throws IOException, ProtocolException {
        return expect(type).id();
    }

    boolean closedByPeer() {
        try {
            while (true) {
                read();
            }
        } catch (IOException | ProtocolException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
