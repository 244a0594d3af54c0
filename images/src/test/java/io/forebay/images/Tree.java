package io.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/** A tree of files that has something for every layer, and no program. */
final class Tree {
    static final Release RELEASE = new Release("1.2.3", "abc", Instant.parse("2026-01-01T00:00:00Z"));

    private Tree() {}

    static Path make(Path folder) throws IOException {
        var files = Map.of(
                "runtime/bin/java",
                "java",
                "lib/other.jar",
                "other",
                "lib/forebay.jar",
                "ours",
                "lib/forebay.aot",
                "cache");
        for (var file : files.entrySet()) {
            var path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        if (!folder.resolve("runtime/bin/java").toFile().setExecutable(true)) {
            throw new IOException("cannot make a file executable in " + folder);
        }
        return folder;
    }

    /** @param scratch a folder that is not there yet */
    static ImageBuild image(Path tree, Architecture architecture, Path scratch) throws IOException {
        var layers = new Layers(Product.SIDECAR, RELEASE.time())
                .of(tree, Map.of(), Files.createDirectories(scratch.resolve("files")));
        return new ImageBuild(Product.SIDECAR, architecture, RELEASE, layers, scratch.resolve("cache"));
    }
}
