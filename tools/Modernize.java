import static java.lang.classfile.ClassFile.JAVA_8_VERSION;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code java Modernize.java JAR...}: gives classes that were compiled for Java 5 or older the form of Java 8, with stack maps.
 * The JVM keeps older ones out of an AOT cache, since it must verify them the old way at each start. picocli is such a
 * library: 173 classes, a quarter of a second. Meaning and code stay; a jar without such classes is not touched.
 */
final class Modernize {
    /** The first version whose classes the JVM archives (HotSpot: the split verifier's). */
    private static final int JAVA_6_VERSION = 50;

    private Modernize() {}

    public static void main(String[] args) throws IOException {
        for (var jar : args) {
            try (var files = FileSystems.newFileSystem(Path.of(jar))) {
                List<Path> classes;
                try (var all = Files.walk(files.getPath("/"))) {
                    classes = all.filter(f -> f.toString().endsWith(".class") && !f.endsWith("module-info.class"))
                            .toList();
                }
                // What a class of this jar extends is looked up in the jar first, then in the JDK.
                var hierarchy = ClassHierarchyResolver.ofResourceParsing(name -> {
                            var file = files.getPath("/" + name.descriptorString().substring(1).replace(";", ".class"));
                            try {
                                return Files.exists(file) ? Files.newInputStream(file) : null;
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        })
                        .orElse(ClassHierarchyResolver.defaultResolver());
                var format = ClassFile.of(ClassHierarchyResolverOption.of(hierarchy));
                for (var file : classes) {
                    modernize(format, file);
                }
            }
        }
    }

    private static void modernize(ClassFile format, Path file) throws IOException {
        var before = format.parse(Files.readAllBytes(file));
        if (before.majorVersion() >= JAVA_6_VERSION) {
            return;
        }
        var transform = ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
                .andThen(ClassTransform.endHandler(c -> c.withVersion(JAVA_8_VERSION, 0)));
        var after = format.transformClass(before, transform);
        var errors = format.verify(after);
        if (!errors.isEmpty()) {
            throw new IOException(file + ": " + errors.getFirst().getMessage());
        }
        var time = Files.getLastModifiedTime(file);
        Files.write(file, after);
        // The same jar from the same jar, whenever.
        Files.setLastModifiedTime(file, time);
    }
}
