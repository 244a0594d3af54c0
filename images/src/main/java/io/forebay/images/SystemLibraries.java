package io.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The loader and the libraries of a system that a tree's programs need, and nothing else of it. */
final class SystemLibraries {
    /** glibc loads it by its name, when a thread is cancelled: no file says that it is needed. */
    private static final String UNWINDER = "libgcc_s.so.1";

    private final SystemRoot root;
    private final Architecture architecture;
    private final SortedMap<String, Path> found = new TreeMap<>();
    /** Names that need not be looked for, or not again. */
    private final Set<String> present = new HashSet<>();

    private final Deque<Need> needs = new ArrayDeque<>();

    private record Need(String name, Path by) {}

    private SystemLibraries(SystemRoot root, Architecture architecture) {
        this.root = root;
        this.architecture = architecture;
    }

    /**
     * @param tree programs and libraries; what they need of each other is looked for among them by name alone
     * @return by path in the image
     * @throws PackException where a library is missing, or a file of the tree is for another processor
     */
    static SortedMap<String, Path> of(Path tree, SystemRoot root, Architecture architecture) throws IOException {
        var libraries = new SystemLibraries(root, architecture);
        libraries.collect(tree);
        return libraries.found;
    }

    private void collect(Path tree) throws IOException {
        for (var file : filesOf(tree)) {
            var elf = Elf.read(file);
            if (elf.isPresent()) {
                if (elf.get().machine() != architecture.elfMachine()) {
                    throw new PackException(
                            "%s is not for %s. Name with --tree what was unpacked from an archive for it"
                                    .formatted(file, architecture.ociName()));
                }
                present.add(file.getFileName().toString());
                take(elf.get(), file);
            }
        }
        if (needs.isEmpty()) {
            return;
        }
        while (!needs.isEmpty()) {
            var need = needs.removeFirst();
            if (present.add(need.name) && !find(need)) {
                throw new PackException(
                        "%s needs the library %s, which is in none of %s below %s. Install it there, or name with --sysroot a folder that has it"
                                .formatted(need.by, need.name, folders(), root.folder()));
            }
        }
        find(new Need(UNWINDER, tree));
    }

    /** The loader is put where programs name it; libraries need it once more, by its name, when it is in memory. */
    private void take(Elf elf, Path by) throws IOException {
        if (elf.interpreter().isPresent()) {
            var loader = elf.interpreter().get();
            found.put(
                    loader,
                    root.file(loader)
                            .orElseThrow(() -> new PackException(
                                    "%s needs the loader %s, which is not below %s. Name with --sysroot a folder that has it"
                                            .formatted(by, loader, root.folder()))));
            present.add(loader.substring(loader.lastIndexOf('/') + 1));
        }
        elf.needed().forEach(name -> needs.add(new Need(name, by)));
    }

    private boolean find(Need need) throws IOException {
        for (var folder : folders()) {
            var path = folder + "/" + need.name;
            var file = root.file(path);
            var elf = file.isPresent() ? Elf.read(file.get()) : Optional.<Elf>empty();
            if (elf.isPresent() && elf.get().machine() == architecture.elfMachine()) {
                found.put(path, file.get());
                take(elf.get(), file.get());
                return true;
            }
        }
        return false;
    }

    /** Where the loaders of the usual distributions look without being told. */
    private List<String> folders() {
        return List.of(
                "/lib/" + architecture.triplet(),
                "/usr/lib/" + architecture.triplet(),
                "/lib64",
                "/usr/lib64",
                "/lib",
                "/usr/lib");
    }

    private static List<Path> filesOf(Path tree) throws IOException {
        try (var files = Files.walk(tree)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
