package io.forebay.sidecar.step;

import io.forebay.sidecar.step.FrameReader.ProtocolException;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine's side of {@link Protocol}: any number of step runners, and {@code commit}, on one Unix socket.
 *
 * <p>Runners outlive this process: a successor that opens the same socket path with the same token gets them back with all that they
 * have ({@link StepHost#recover}, {@link StepHost.Listener#reattached}). {@link #close} ends them.
 *
 * <p>A peer costs at most {@value Protocol#MAX_HELLO} bytes and 5 s until it has shown the token, and of those there are at most
 * {@value #MAX_STRANGERS}: the oldest has to go.
 */
public final class StepServer implements StepHost {
    private static final int MAX_STRANGERS = 64;
    private static final Duration HELLO_TIMEOUT = Duration.ofSeconds(5);
    private static final int MAX_NOTES = 100;

    /** Lines of the commands' output, for a display: runners started with {@code --output engine} send them; lossy when slow. */
    public interface Output {
        /** @param lines whole lines, each with its prefix and line end; not to be kept after the return */
        void lines(CommandId id, byte[] lines);

        /** @param bytes of lines that were dropped on the way */
        default void dropped(CommandId id, long bytes) {}
    }

    /**
     * @param socket in a folder that exists; a socket of that name is replaced
     * @param token what peers must show; not empty
     * @param fences folders of which commands see only what is readable or writable to them (Landlock); they exist
     * @param lostAfter how long a runner may be away before its commands are told as lost; its back-off is at most 1 s
     * @param grace for commands that still run at the close
     * @param notes hears what a user should know once, a sentence at a time
     */
    public record Options(
            SocketPath socket,
            String token,
            List<String> fences,
            Duration lostAfter,
            Duration grace,
            Output output,
            Consumer<String> notes,
            Optional<CommitGate> gate) {
        public Options {
            if (token.isEmpty()) {
                throw new IllegalArgumentException("a step server needs a token");
            }
            fences = List.copyOf(fences);
        }

        /** 15 s until lost, 10 s of grace, no output, no notes, no gate. */
        public static Options of(SocketPath socket, String token) {
            return new Options(
                    socket,
                    token,
                    List.of(),
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(10),
                    (id, lines) -> {},
                    note -> {},
                    Optional.empty());
        }

        public Options withFences(List<String> folders) {
            return new Options(socket, token, folders, lostAfter, grace, output, notes, gate);
        }

        public Options withLostAfter(Duration time) {
            return new Options(socket, token, fences, time, grace, output, notes, gate);
        }

        public Options withGrace(Duration time) {
            return new Options(socket, token, fences, lostAfter, time, output, notes, gate);
        }

        public Options withOutput(Output to) {
            return new Options(socket, token, fences, lostAfter, grace, to, notes, gate);
        }

        public Options withNotes(Consumer<String> to) {
            return new Options(socket, token, fences, lostAfter, grace, output, to, gate);
        }

        public Options withGate(CommitGate commit) {
            return new Options(socket, token, fences, lostAfter, grace, output, notes, Optional.of(commit));
        }
    }

    private final Options options;
    private final ServerSocketChannel listening;
    private final Events events;
    private final ScheduledExecutorService timer = timer();
    private final Commands commands;
    private final Runners runners;
    private final Questions questions;
    /** Connections that have not shown the token, oldest first. */
    private final Set<Peer> strangers = new LinkedHashSet<>();

    /** Strangers whose connection is open or being closed: a flood is accepted only as quickly as it can be got rid of. */
    private final Semaphore doorway = new Semaphore(2 * MAX_STRANGERS);

    private final Set<Peer> peers = ConcurrentHashMap.newKeySet();
    private final Set<String> noted = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Listens from the return on. @throws IOException the socket cannot be made */
    public static StepServer open(Options options, Listener listener) throws IOException {
        var server = new StepServer(options, options.socket().listen(), listener);
        Thread.ofPlatform().daemon().name("step-accept").start(server::accept);
        return server;
    }

    private StepServer(Options options, ServerSocketChannel listening, Listener listener) {
        this.options = options;
        this.listening = listening;
        this.events = new Events(listener);
        var book = new Book(events, timer, options.lostAfter());
        this.commands = new Commands(book);
        this.runners = new Runners(book);
        this.questions = new Questions(commands::runnerFor);
    }

    /** Forgets what is cancelled at once, and takes nothing more once it is closed. */
    private static ScheduledExecutorService timer() {
        var timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("step-timer").factory(), new ThreadPoolExecutor.DiscardPolicy());
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    // ---- StepHost

    @Override
    public void submit(Command command) {
        commands.submit(command);
    }

    @Override
    public void recover(List<CommandId> ids) {
        commands.recover(ids);
    }

    @Override
    public void stop(CommandId id, Duration grace) {
        commands.stop(id, grace);
    }

    @Override
    public CompletableFuture<Boolean> isUnwritten(CommandId id, String path) {
        return questions.lease(id, path);
    }

    @Override
    public CompletableFuture<Void> handOver(CommandId id, List<String> folders, String modesFile) {
        return questions.handOver(id, folders, modesFile);
    }

    @Override
    public CompletableFuture<Void> clean(CommandId id, List<String> folders) {
        return questions.clean(id, folders);
    }

    @Override
    public void acknowledge(CommandId id) {
        commands.acknowledge(id);
    }

    /** Waits for the runners to end, at most the grace and 5 s more. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        commands.close(options.grace());
        long until = System.nanoTime() + options.grace().plusSeconds(5).toNanos();
        while (commands.someoneConnected()
                && System.nanoTime() < until
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(5));
        }
        commands.abandon();
        hangUp();
        options.socket().remove();
        events.close();
    }

    /** As if this process were killed: nobody is told anything. */
    void hangUp() {
        closed = true;
        try {
            listening.close();
        } catch (IOException e) {
            // The threads below end in either case.
        }
        peers.forEach(Peer::close);
        questions.close();
        timer.shutdownNow();
    }

    // ---- connections

    private void accept() {
        long number = 0;
        while (!closed) {
            doorway.acquireUninterruptibly();
            try {
                var peer = new Peer(listening.accept());
                peers.add(peer);
                if (closed) {
                    peer.close();
                    return;
                }
                peer.start(Long.toString(++number));
                // Here, not in its thread: they must be known in the order in which they came, for the oldest has to
                // go.
                var timeout = stranger(peer);
                Thread.ofVirtual().name("step-reader-" + number).start(() -> serve(peer, timeout));
            } catch (IOException e) {
                doorway.release();
                if (!closed) { // no descriptor is left: others may close theirs
                    note("the step socket cannot accept a connection: " + e.getMessage());
                    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(100));
                }
            }
        }
    }

    private void serve(Peer peer, Future<?> timeout) {
        @Nullable Hello hello = hello(peer, timeout);
        if (hello == null) {
            peers.remove(peer);
            return;
        }
        try {
            var refusal = greet(hello, peer);
            if (refusal != null) {
                peer.send(refusal.frame());
                peer.closeGently();
                return;
            }
            if (hello.role() == Protocol.ROLE_COMMIT) {
                serveCommit(peer);
            } else {
                hello.notes().lines().forEach(this::note);
                serveRunner(hello.seat(), peer);
            }
        } catch (ProtocolException e) {
            note("a peer on the step socket was cut off: " + e.getMessage());
            peer.close();
        } catch (IOException e) {
            peer.close(); // it has gone
        } finally {
            peers.remove(peer);
            runners.disconnected(hello.seat(), peer);
            questions.disconnected(peer);
            options.gate().ifPresent(g -> g.left(peer));
        }
    }

    /** Who it is; null: it has gone, was sent away, or spoke no word of ours. It is no stranger from the return on. */
    private @Nullable Hello hello(Peer peer, Future<?> timeout) {
        try {
            return Hello.read(peer.read(Protocol.MAX_HELLO));
        } catch (ProtocolException e) {
            note("a peer on the step socket was cut off: " + e.getMessage());
            peer.close();
        } catch (IOException e) {
            peer.close(); // it has gone
        } finally {
            timeout.cancel(false);
            known(peer);
            doorway.release();
        }
        return null;
    }

    private Future<?> stranger(Peer peer) {
        synchronized (strangers) {
            strangers.add(peer);
            if (strangers.size() > MAX_STRANGERS) {
                var oldest = strangers.iterator();
                oldest.next().close();
                oldest.remove();
            }
        }
        return timer.schedule(peer::close, HELLO_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void known(Peer peer) {
        synchronized (strangers) {
            strangers.remove(peer);
        }
    }

    private @Nullable FrameWriter greet(Hello hello, Peer peer) {
        if (hello.version() != Protocol.VERSION) {
            return refusal(
                    Protocol.REFUSED_FOR_GOOD,
                    "it speaks version %d of the protocol, this engine version %d"
                            .formatted(hello.version(), Protocol.VERSION));
        }
        if (!hello.hasToken(options.token())) {
            note("a peer on the step socket showed a wrong token and was refused");
            return refusal(Protocol.REFUSED_TOKEN, "wrong token");
        }
        if (hello.role() == Protocol.ROLE_COMMIT) {
            if (options.gate().isEmpty()) {
                return refusal(Protocol.REFUSED_NOW, "this engine has no commit to wait for");
            }
            peer.send(new FrameWriter(Protocol.WELCOME)
                    .u16(Protocol.VERSION)
                    .list(List.of())
                    .frame());
            return null;
        }
        var taken = runners.greet(hello, peer, options.fences());
        return taken == null ? null : refusal(Protocol.REFUSED_NOW, taken);
    }

    private void output(FrameReader f) throws ProtocolException {
        var id = f.id();
        long dropped = f.u64();
        var lines = last(f, f.data());
        if (dropped > 0) {
            options.output().dropped(id, dropped);
        }
        if (lines.length > 0) {
            options.output().lines(id, lines);
        }
    }

    private static FrameWriter refusal(int kind, String why) {
        return new FrameWriter(Protocol.REFUSED).u8(kind).text(why);
    }

    private void serveCommit(Peer peer) throws IOException, ProtocolException {
        var gate = options.gate().orElseThrow();
        gate.arrived(peer);
        while (true) {
            var frame = peer.read(Protocol.MAX_HELLO);
            switch (frame.type) {
                case Protocol.DRAIN -> gate.drainRequested();
                case Protocol.GOT -> gate.got();
                default -> throw new ProtocolException("frame of type %02x from commit".formatted(frame.type));
            }
            frame.end();
        }
    }

    private void serveRunner(String seat, Peer peer) throws IOException, ProtocolException {
        while (true) {
            var f = peer.read(Protocol.MAX_FRAME);
            switch (f.type) {
                case Protocol.RUNNING -> runners.running(seat, peer, last(f, f.id()));
                case Protocol.END -> end(seat, peer, f);
                case Protocol.ANNOUNCED -> {
                    f.end();
                    runners.announced(seat, peer);
                    questions.connected();
                }
                case Protocol.STARTED -> runners.started(seat, peer, last(f, f.id()));
                case Protocol.OUTPUT -> output(f);
                case Protocol.FORGOTTEN -> runners.forgotten(seat, peer, last(f, f.id()));
                case Protocol.LEASE_ANSWER -> {
                    long request = f.u64();
                    int answer = f.u8();
                    last(f, f.text());
                    questions.answered(peer, request, answer == Protocol.LEASE_YES);
                }
                case Protocol.DONE -> {
                    long request = f.u64();
                    f.u64();
                    questions.done(peer, request, last(f, f.text()));
                }
                case Protocol.LEAVING -> {
                    f.end();
                    runners.leaving(seat, peer);
                }
                case Protocol.NOTE -> last(f, f.text()).lines().forEach(this::note);
                default -> throw new ProtocolException("frame of type %02x from a runner".formatted(f.type));
            }
        }
    }

    private void end(String seat, Peer peer, FrameReader f) throws ProtocolException {
        var id = f.id();
        int exit = f.u8();
        int signal = f.u8();
        int flags = f.u8();
        var end = new End(
                exit,
                signal,
                (flags & Protocol.END_LOST) != 0,
                (flags & Protocol.END_OOM) != 0,
                f.amount(),
                f.amount(),
                f.amount(),
                f.amount(),
                f.output(),
                f.text());
        f.end();
        runners.ended(seat, peer, id, end, (flags & Protocol.END_UNSTARTED) != 0);
    }

    private static <T> T last(FrameReader frame, T value) throws ProtocolException {
        frame.end();
        return Objects.requireNonNull(value);
    }

    private void note(String text) {
        if (noted.size() < MAX_NOTES && noted.add(text)) {
            options.notes().accept(text);
        }
    }
}
