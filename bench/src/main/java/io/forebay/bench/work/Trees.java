package io.forebay.bench.work;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;

/** Folders of files: made, compared, emptied. */
final class Trees {
    private Trees() {}

    /** Files f000000, ... of random bytes: nothing that a server or a file system could make smaller. */
    static Path random(Path folder, int files, long bytes) throws IOException {
        Files.createDirectories(folder);
        var random = new Random(files * 31L + bytes);
        var chunk = new byte[(int) Math.min(bytes, 8 << 20)];
        for (int i = 0; i < files; i++) {
            try (var out = Files.newOutputStream(folder.resolve("f%06d".formatted(i)))) {
                for (long left = bytes; left > 0; left -= chunk.length) {
                    random.nextBytes(chunk);
                    out.write(chunk, 0, (int) Math.min(left, chunk.length));
                }
            }
        }
        return folder;
    }

    /** Of all files below it. */
    static long bytes(Path folder) throws IOException {
        long sum = 0;
        for (var name : names(folder)) {
            sum += Files.size(folder.resolve(name));
        }
        return sum;
    }

    /** Where the trees differ, in words. Folders and files that begin with a dot are a server's own. */
    static Optional<String> difference(Path truth, Path result) throws IOException {
        var expected = names(truth);
        var found = names(result);
        if (!expected.equals(found)) {
            var missing = new TreeSet<>(expected);
            missing.removeAll(found);
            return Optional.of("of %d files %d are missing in %s, %d are there that should not"
                    .formatted(
                            expected.size(), missing.size(), result, found.size() + missing.size() - expected.size()));
        }
        for (var name : expected) {
            if (Files.mismatch(truth.resolve(name), result.resolve(name)) >= 0) {
                return Optional.of(result.resolve(name) + " differs from " + truth.resolve(name));
            }
        }
        return Optional.empty();
    }

    private static TreeSet<String> names(Path folder) throws IOException {
        var names = new TreeSet<String>();
        if (!Files.isDirectory(folder)) {
            return names;
        }
        try (var files = Files.walk(folder)) {
            files.filter(Files::isRegularFile)
                    .map(f -> folder.relativize(f).toString())
                    .filter(n -> !n.startsWith(".") && !n.contains("/."))
                    .forEach(names::add);
        }
        return names;
    }

    /** Makes it, or removes all that is in it. */
    static void empty(Path folder) throws IOException {
        delete(folder);
        Files.createDirectories(folder);
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
