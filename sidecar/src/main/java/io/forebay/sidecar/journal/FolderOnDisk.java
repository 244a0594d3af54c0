package io.forebay.sidecar.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A real folder. Files are readable by their owner alone: records name keys and upload ids. */
record FolderOnDisk(Path folder) implements LogFolder {

    @Override
    public boolean exists(String name) {
        return Files.exists(folder.resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public LogFile open(String name) throws IOException {
        return new FileOnDisk(
                FileChannel.open(folder.resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public LogFile create(String name) throws IOException {
        delete(name);
        return new FileOnDisk(FileChannel.open(
                folder.resolve(name),
                Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }

    @Override
    public void sync() throws IOException {
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public String path(String name) {
        return folder.resolve(name).toString();
    }

    private record FileOnDisk(FileChannel channel) implements LogFile {
        /** The JDK keeps a direct buffer of the size of each thread's largest read or write. */
        private static final int PIECE_BYTES = 256 << 10;

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void read(ByteBuffer into, long offset) throws IOException {
            long at = offset;
            int end = into.limit();
            while (into.position() < end) {
                into.limit(Math.min(end, into.position() + PIECE_BYTES));
                int n = channel.read(into, at);
                into.limit(end);
                if (n < 0) {
                    return;
                }
                at += n;
            }
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            long at = offset;
            int end = bytes.limit();
            while (bytes.position() < end) {
                bytes.limit(Math.min(end, bytes.position() + PIECE_BYTES));
                at += channel.write(bytes, at);
                bytes.limit(end);
            }
        }

        @Override
        public void force() throws IOException {
            channel.force(false);
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
