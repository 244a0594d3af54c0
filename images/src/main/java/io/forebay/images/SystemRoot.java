package io.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * The file system that system libraries are taken from: this machine's, or another architecture's unpacked into a folder.
 * Symbolic links are followed as a process would that has the folder for its root.
 *
 * @param folder absolute
 */
record SystemRoot(Path folder) {
    /** As the kernel's. */
    private static final int MAX_LINKS = 40;

    /**
     * @param path absolute, as seen inside
     * @return the regular file there, as seen from outside; empty where there is none
     */
    Optional<Path> file(String path) throws IOException {
        var names = new ArrayDeque<Path>();
        Path.of(path).forEach(names::add);
        var found = folder;
        var links = 0;
        while (!names.isEmpty()) {
            var name = names.removeFirst();
            if (name.toString().equals("..")) {
                found = found.equals(folder) ? folder : parent(found);
                continue;
            }
            var next = found.resolve(name);
            if (!Files.isSymbolicLink(next)) {
                found = next;
                continue;
            }
            if (++links > MAX_LINKS) {
                return Optional.empty();
            }
            var target = Files.readSymbolicLink(next);
            for (int i = target.getNameCount() - 1; i >= 0; i--) {
                names.addFirst(target.getName(i));
            }
            if (target.isAbsolute()) {
                found = folder;
            }
        }
        return Files.isRegularFile(found) ? Optional.of(found) : Optional.empty();
    }

    private static Path parent(Path path) {
        var parent = path.getParent();
        return parent == null ? path : parent;
    }
}
