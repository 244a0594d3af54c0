package io.forebay.images;

import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An image's layers, from the first. All files are root's, and have one time, which is the time of the tree's jars too: a JVM may
 * refuse an AOT cache where jars have another time than in the training.
 *
 * @param time whole seconds
 */
record Layers(Product product, Instant time) {
    private static final FilePermissions READ = FilePermissions.fromOctalString("644");
    private static final FilePermissions READ_EXECUTE = FilePermissions.fromOctalString("755");
    /** Jib knows no sticky bit; a pod mounts a volume of its own here. */
    private static final FilePermissions ALL = FilePermissions.fromOctalString("777");

    private static final List<String> ACCOUNT_FILES = List.of("passwd", "group", "nsswitch.conf");

    /**
     * @param scratch an empty folder, which must stay until the image is made
     * @param libraries by path in the image
     */
    List<FileEntriesLayer> of(Path tree, Map<String, Path> libraries, Path scratch) throws IOException {
        var layers = new ArrayList<FileEntriesLayer>();
        layers.add(system(libraries, scratch));
        layers.addAll(ofTree(tree));
        return layers;
    }

    private FileEntriesLayer system(Map<String, Path> libraries, Path scratch) throws IOException {
        var layer = FileEntriesLayer.builder().setName("system");
        for (var name : ACCOUNT_FILES) {
            var file = scratch.resolve(name);
            try (var content = Layers.class.getResourceAsStream("etc/" + name)) {
                if (content == null) {
                    throw new IOException("the resource etc/" + name + " is not on the class path");
                }
                Files.copy(content, file);
            }
            layer.addEntry(file, AbsoluteUnixPath.get("/etc/" + name), READ, time);
        }
        layer.addEntry(Files.createDirectory(scratch.resolve("tmp")), AbsoluteUnixPath.get("/tmp"), ALL, time);
        libraries.forEach((path, file) -> layer.addEntry(file, AbsoluteUnixPath.get(path), READ_EXECUTE, time));
        return layer.build();
    }

    private List<FileEntriesLayer> ofTree(Path tree) throws IOException {
        var layers = new EnumMap<TreeLayer, FileEntriesLayer.Builder>(TreeLayer.class);
        List<Path> files;
        try (var all = Files.walk(tree)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        for (var file : files) {
            var relative = tree.relativize(file);
            var kind = TreeLayer.of(relative);
            layers.computeIfAbsent(kind, k -> FileEntriesLayer.builder().setName(nameOf(k)))
                    .addEntry(
                            file,
                            AbsoluteUnixPath.get(product.home() + "/" + relative),
                            Files.isExecutable(file) ? READ_EXECUTE : READ,
                            time);
        }
        return layers.values().stream().map(FileEntriesLayer.Builder::build).toList();
    }

    private static String nameOf(TreeLayer layer) {
        return layer.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
