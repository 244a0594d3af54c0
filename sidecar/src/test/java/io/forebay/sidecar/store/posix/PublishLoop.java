package io.forebay.sidecar.store.posix;

import io.forebay.api.value.StoreUri.Scheme;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.Store;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A process of its own that publishes one file again and again, for tests that kill it. Version n of the file is the number n, again and again.
 * It tells what it has done, a line each: {@code sealed n}, {@code published n}.
 */
public final class PublishLoop {
    private PublishLoop() {}

    static final String FOLDER = "sub";
    static final String NAME = "file";

    static StageRequest request(Path root, int size) {
        return new StageRequest(root + "/" + FOLDER + "/" + NAME, root.toString(), size, FileMeta.UNKNOWN, "loop");
    }

    /** How to start it. */
    static List<String> command(Path root, int size, int first, int last) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                PublishLoop.class.getName(),
                root.toString(),
                Integer.toString(size),
                Integer.toString(first),
                Integer.toString(last));
    }

    public static void main(String[] args) throws Exception {
        var request = request(Path.of(args[0]), Integer.parseInt(args[1]));
        try (var store = PosixStore.open(Scheme.FILE)) {
            for (long n = Long.parseLong(args[2]); n <= Long.parseLong(args[3]); n++) {
                publish(store, request, n);
            }
        }
    }

    private static void publish(Store store, StageRequest request, long n) throws Exception {
        Store.PieceSource source = (offset, dst) -> fill(dst, n);
        try (var write = store.open(store.prepare(request))) {
            var scratch = ByteBuffer.allocateDirect(1 << 16);
            for (int part = 0; part < write.parts(); part++) {
                write.write(part, source, scratch);
            }
            var staged = write.seal();
            say("sealed " + n);
            if (store.publish(staged, new Store.InlineSource.Absent()) != Store.PublishOutcome.PUBLISHED) {
                throw new IOException("lost");
            }
            store.syncFolders(List.of(request.finalKey()));
            say("published " + n);
        }
    }

    private static void fill(ByteBuffer dst, long n) {
        while (dst.hasRemaining()) {
            dst.putLong(n);
        }
    }

    private static void say(String what) {
        System.out.println(what);
        System.out.flush();
    }
}
