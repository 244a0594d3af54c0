package io.forebay.bench.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An S3 server over a folder, whose sub-folders are its buckets. Closing it ends its process. */
public final class S3Server implements AutoCloseable {
    public static final String BUCKET = "bench";
    private static final String KEY = "forebaybench";
    private static final String SECRET = "forebay-bench-secret";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final String name;
    private final Process process;
    private final int port;
    private final Path data;

    private S3Server(String name, Process process, int port, Path data) {
        this.name = name;
        this.process = process;
        this.port = port;
        this.data = data;
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    /** versitygw: ends each connection after its answer. @param folder empty, of its own */
    public static S3Server versitygw(Path program, Path folder) throws IOException, InterruptedException {
        int port = freePort();
        return started(
                "versitygw",
                folder,
                port,
                List.of(
                        program.toString(),
                        "--port",
                        "127.0.0.1:" + port,
                        "--access",
                        KEY,
                        "--secret",
                        SECRET,
                        "--quiet",
                        "posix",
                        folder.resolve("data").toString()));
    }

    /** {@code rclone serve s3}: keeps connections alive. */
    public static S3Server rclone(Path program, Path folder) throws IOException, InterruptedException {
        int port = freePort();
        return started(
                "rclone serve s3",
                folder,
                port,
                List.of(
                        program.toString(),
                        "serve",
                        "s3",
                        "--addr",
                        "127.0.0.1:" + port,
                        "--auth-key",
                        KEY + "," + SECRET,
                        "--vfs-cache-mode",
                        "off",
                        "--dir-cache-time",
                        "1s",
                        "--config",
                        "/dev/null",
                        folder.resolve("data").toString()));
    }

    private static S3Server started(String name, Path folder, int port, List<String> argv)
            throws IOException, InterruptedException {
        var data = Files.createDirectories(folder.resolve("data"));
        Files.createDirectories(data.resolve(BUCKET));
        var log = folder.resolve("server.log").toFile();
        var process = new ProcessBuilder(argv)
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        var server = new S3Server(name, process, port, data);
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!server.answers()) {
            if (!process.isAlive() || System.nanoTime() > until) {
                server.close();
                throw new IOException(name + " does not answer; see " + log);
            }
            Thread.sleep(50);
        }
        return server;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private boolean answers() {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    public String name() {
        return name;
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Where the objects below a prefix of {@link #BUCKET} lie as files, to be compared. */
    public Path folder(String prefix) {
        return data.resolve(BUCKET).resolve(prefix);
    }

    /** For clients that read the usual AWS variables. */
    public static Map<String, String> environment() {
        return Map.of(
                "AWS_ACCESS_KEY_ID", KEY,
                "AWS_SECRET_ACCESS_KEY", SECRET,
                "AWS_REGION", "us-east-1",
                "AWS_DEFAULT_REGION", "us-east-1",
                "AWS_REQUEST_CHECKSUM_CALCULATION", "when_required",
                "AWS_EC2_METADATA_DISABLED", "true");
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(5, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
