package io.forebay.rig;

import io.forebay.testing.Wait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A job's coordinator and its workers as processes of their own, started as pods and batch jobs start them. */
final class ApartRig {
    static final String TOKEN = "7f1a2b3c4d5e6f708192a3b4c5d6e7f8";

    private final JobRig rig;
    private final Path tokenFile;
    private final Path portFile;
    private String lease = "30s";

    ApartRig(JobRig rig) throws IOException {
        this.rig = rig;
        this.tokenFile = Files.writeString(rig.home().resolve("token"), TOKEN + "\n");
        this.portFile = rig.home().resolve("port");
    }

    ApartRig lease(String length) {
        lease = length;
        return this;
    }

    Path manifest() {
        return rig.home().resolve("job.yaml");
    }

    Path tokenFile() {
        return tokenFile;
    }

    Path portFile() {
        return portFile;
    }

    /** Returns when it listens. */
    Process coordinator(String... options) throws IOException {
        Files.deleteIfExists(portFile);
        return coordinatorAt("127.0.0.1:0", options);
    }

    /** A successor at the same address, as a pod behind its Service. */
    Process coordinatorAgain(String... options) throws IOException {
        var at = "127.0.0.1:" + port();
        Files.delete(portFile);
        return coordinatorAt(at, options);
    }

    private Process coordinatorAt(String at, String... options) throws IOException {
        var args = new ArrayList<String>(List.of(
                "coordinator",
                "--listen",
                at,
                "--port-file",
                portFile.toString(),
                "--token-file",
                tokenFile.toString(),
                "--lease",
                lease,
                "--progress",
                "plain"));
        args.addAll(List.of(options));
        args.add(manifest().toString());
        var process = rig.start(args.toArray(String[]::new));
        Wait.until(
                "the coordinator listens", Duration.ofSeconds(60), () -> Files.exists(portFile) || !process.isAlive());
        return process;
    }

    int port() {
        try {
            return Integer.parseInt(Files.readString(portFile).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    URI at() {
        return URI.create("http://127.0.0.1:" + port());
    }

    Process worker(String name, String... options) throws IOException {
        return workerOf(at(), name, options);
    }

    /** A worker that reaches its coordinator at another address, through something of the test's. */
    Process workerOf(URI coordinator, String name, String... options) throws IOException {
        var args = new ArrayList<String>(List.of(
                "buffer",
                "--coordinator",
                coordinator.toString(),
                "--token-file",
                tokenFile.toString(),
                "--worker",
                name,
                "--progress",
                "plain"));
        args.addAll(List.of(options));
        args.add(manifest().toString());
        return rig.start(args.toArray(String[]::new));
    }

    /** What the coordinator answers to GET. @return status code, newline, body */
    String get(String path, String token) {
        try {
            var http = (HttpURLConnection) at().resolve(path).toURL().openConnection();
            http.setRequestProperty("Authorization", "Bearer " + token);
            try (var in = http.getResponseCode() < 400 ? http.getInputStream() : http.getErrorStream()) {
                return http.getResponseCode() + "\n" + new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What all processes have printed. */
    String printed() {
        var all = new StringBuilder();
        try (var logs = Files.newDirectoryStream(rig.home(), "log-*")) {
            for (var log : logs) {
                all.append("--- ").append(log.getFileName()).append('\n').append(Files.readString(log));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all.toString();
    }

    /** Completion records, as the log has them: one line of JSON each. */
    List<String> completions() {
        return entries("completed");
    }

    /** Entries of the records' log of that kind. */
    List<String> entries(String kind) {
        var found = new ArrayList<String>();
        try (var logs = Files.newDirectoryStream(rig.records(), "log-*")) {
            for (var log : logs) {
                Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
                        .filter(l -> l.contains("\"t\":\"" + kind + "\""))
                        .forEach(found::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}
