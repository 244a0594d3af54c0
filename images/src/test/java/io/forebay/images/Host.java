package io.forebay.images;

import java.nio.file.Path;

/** The machine that runs the tests. */
final class Host {
    private Host() {}

    static Architecture architecture() {
        return System.getProperty("os.arch").equals("aarch64") ? Architecture.ARM64 : Architecture.AMD64;
    }

    /** A file of the JDK that runs the tests. */
    static Path jdk(String path) {
        return Path.of(System.getProperty("java.home"), path);
    }

    static Path java() {
        return jdk("bin/java");
    }
}
