package io.forebay.images;

import java.nio.file.Path;

/**
 * The layers that a tree is cut into, those first that change least often: a node or a registry that has the layer of another
 * version fetches it no second time.
 */
enum TreeLayer {
    /** Changes with the JDK. */
    RUNTIME,
    /** Jars of others. */
    LIBRARIES,
    /** Our own jars, and all that is in no other layer. */
    PROGRAM,
    /** Made by a training run: other bytes after every build. */
    AOT_CACHE;

    /** @param file relative to the tree */
    static TreeLayer of(Path file) {
        var name = file.getFileName().toString();
        if (file.startsWith("runtime")) {
            return RUNTIME;
        }
        if (name.endsWith(".aot")) {
            return AOT_CACHE;
        }
        return name.endsWith(".jar") && isBelowLib(file) && !isOurs(name) ? LIBRARIES : PROGRAM;
    }

    private static boolean isBelowLib(Path file) {
        return file.startsWith("lib") || file.startsWith("app/lib");
    }

    /** Quarkus puts the group before the name of a jar. */
    private static boolean isOurs(String jar) {
        return jar.startsWith("forebay") || jar.startsWith("io.forebay.");
    }
}
