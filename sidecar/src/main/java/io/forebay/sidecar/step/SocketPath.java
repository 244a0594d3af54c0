package io.forebay.sidecar.step;

import io.forebay.sidecar.os.Posix;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * Where the step socket is. The path may be longer than the 107 bytes that a socket address holds: it is then reached through a
 * short symbolic link to its folder.
 *
 * @param path absolute; its folder exists, and only its owner and group can enter it
 * @param group that may connect, beside this process's user; absent: this process's own group
 */
public record SocketPath(Path path, OptionalInt group) {
    private static final int MAX_ADDRESS = 107;

    public SocketPath {
        if (!path.isAbsolute()) {
            throw new IllegalArgumentException("not absolute: " + path);
        }
    }

    public SocketPath(Path path) {
        this(path, OptionalInt.empty());
    }

    /** Appears under its name when peers can connect; replaces what an earlier life left there. Mode 0660. */
    ServerSocketChannel listen() throws IOException {
        var folder = folder();
        var temporary = "." + UUID.randomUUID().toString().substring(0, 8);
        var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var made = folder.resolve(temporary);
        try {
            bind(channel, made);
            if (group.isPresent()) {
                Posix.fchownat(null, made.toString(), -1, group.getAsInt());
            }
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rw-rw----"));
            Files.move(made, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return channel;
        } catch (IOException e) {
            channel.close();
            Files.deleteIfExists(made);
            throw new IOException("cannot listen on " + path + ": " + e.getMessage(), e);
        }
    }

    private static void bind(ServerSocketChannel channel, Path made) throws IOException {
        if (made.toString().getBytes(StandardCharsets.UTF_8).length <= MAX_ADDRESS) {
            channel.bind(UnixDomainSocketAddress.of(made), 128);
            return;
        }
        var link = Path.of(System.getProperty("java.io.tmpdir"), "forebay-" + UUID.randomUUID());
        Files.createSymbolicLink(link, made.getParent());
        try {
            channel.bind(UnixDomainSocketAddress.of(link.resolve(made.getFileName())), 128);
        } finally {
            Files.delete(link);
        }
    }

    private Path folder() {
        var folder = path.getParent();
        if (folder == null) {
            throw new IllegalArgumentException("no file name: " + path);
        }
        return folder;
    }

    void remove() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // A successor replaces it.
        }
    }
}
