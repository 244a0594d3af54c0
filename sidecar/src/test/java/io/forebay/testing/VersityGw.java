package io.forebay.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** versitygw, an S3 server over a folder, as a process of its own on a free port. */
public final class VersityGw implements AutoCloseable {
    public static final String ACCESS_KEY = "forebaytest";
    public static final String SECRET_KEY = "forebay-test-secret";
    private static final Path BINARY =
            Path.of(System.getProperty("user.home"), ".cache", "forebay", "bin", "versitygw");

    private final Process process;
    private final int port;

    private VersityGw(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Whether the binary is there; says so once where it is not. */
    public static boolean available() {
        boolean there = Files.isExecutable(BINARY);
        if (!there) {
            System.err.println("left out: tests against versitygw, since there is no " + BINARY);
        }
        return there;
    }

    /** Serves {@code folder}/data; each folder in it is a bucket. */
    public static VersityGw start(Path folder, String bucket) throws IOException {
        var data = Files.createDirectories(folder.resolve("data"));
        Files.createDirectories(data.resolve(bucket));
        int port = freePort();
        var builder = new ProcessBuilder(
                BINARY.toString(),
                "--port",
                "127.0.0.1:" + port,
                "--access",
                ACCESS_KEY,
                "--secret",
                SECRET_KEY,
                "--quiet",
                "posix",
                data.toString());
        builder.redirectErrorStream(true)
                .redirectOutput(folder.resolve("versitygw.log").toFile());
        var gateway = new VersityGw(builder.start(), port);
        Runtime.getRuntime().addShutdownHook(new Thread(gateway.process::destroyForcibly));
        Wait.until("versitygw answers on port " + port, Duration.ofSeconds(20), gateway::answers);
        return gateway;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private boolean answers() {
        if (!process.isAlive()) {
            throw new IllegalStateException("versitygw ended with " + process.exitValue());
        }
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(10, TimeUnit.SECONDS);
    }
}
