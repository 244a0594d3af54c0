package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemLibrariesTest {
    private static final SystemRoot MACHINE = new SystemRoot(Path.of("/"));

    @TempDir
    Path folder;

    private Path tree;

    /** A program that needs a library of the tree's own, and the C library. */
    @BeforeEach
    void makeTree() throws IOException {
        tree = Files.createDirectory(folder.resolve("tree"));
        Files.createDirectory(tree.resolve("bin"));
        Files.createDirectory(tree.resolve("lib"));
        Files.copy(Host.java(), tree.resolve("bin/java"));
        Files.copy(Host.jdk("lib/libjli.so"), tree.resolve("lib/libjli.so"));
        Files.writeString(tree.resolve("lib/options"), "-Xmx1m");
    }

    @Test
    void areTheLoaderWhereProgramsNameItAndWhatIsNeededButTheTreesOwn() throws IOException {
        var loader = Elf.read(Host.java()).orElseThrow().interpreter().orElseThrow();

        var libraries = SystemLibraries.of(tree, MACHINE, Host.architecture());

        assertThat(libraries.keySet()).contains(loader).anyMatch(path -> path.endsWith("/libc.so.6"));
        assertThat(libraries.keySet()).noneMatch(path -> path.endsWith("/libjli.so"));
        assertThat(libraries.keySet())
                .filteredOn(path -> path.contains("ld-linux"))
                .hasSize(1);
        assertThat(libraries.values()).allMatch(Files::isRegularFile);
    }

    @Test
    void aTreeWithoutProgramsNeedsNone() throws IOException {
        Files.delete(tree.resolve("bin/java"));
        Files.delete(tree.resolve("lib/libjli.so"));

        assertThat(SystemLibraries.of(tree, MACHINE, Host.architecture())).isEmpty();
    }

    @Test
    void oneThatIsNotThereIsToldWithWhoNeedsIt() throws IOException {
        Files.delete(tree.resolve("lib/libjli.so"));

        assertThatThrownBy(() -> SystemLibraries.of(tree, MACHINE, Host.architecture()))
                .isInstanceOf(PackException.class)
                .hasMessageContaining("libjli.so")
                .hasMessageContaining(tree.resolve("bin/java").toString())
                .hasMessageContaining("--sysroot");
    }

    @Test
    void aTreeForAnotherProcessorIsRefused() throws IOException {
        var other = Host.architecture() == Architecture.AMD64 ? Architecture.ARM64 : Architecture.AMD64;
        var program = tree.resolve("bin/java");
        var bytes = ByteBuffer.wrap(Files.readAllBytes(program)).order(ByteOrder.LITTLE_ENDIAN);
        Files.write(program, bytes.putShort(18, (short) other.elfMachine()).array());

        assertThatThrownBy(() -> SystemLibraries.of(tree, MACHINE, Host.architecture()))
                .isInstanceOf(PackException.class)
                .hasMessageContaining(program.toString())
                .hasMessageContaining(Host.architecture().ociName());
    }

    @Test
    void ofAnUnpackedSystemComeFromThereThoughItsLinksAreAbsolute() throws IOException {
        var system = Files.createDirectories(folder.resolve("system/usr/lib"));
        Files.createSymbolicLink(folder.resolve("system/lib"), Path.of("usr/lib"));
        Files.createSymbolicLink(folder.resolve("system/lib64"), Path.of("/usr/lib"));
        for (var library :
                SystemLibraries.of(tree, MACHINE, Host.architecture()).entrySet()) {
            Files.copy(
                    library.getValue(), system.resolve(Path.of(library.getKey()).getFileName()));
        }

        var libraries = SystemLibraries.of(tree, new SystemRoot(folder.resolve("system")), Host.architecture());

        assertThat(libraries.values()).isNotEmpty().allMatch(file -> file.startsWith(folder.resolve("system/usr/lib")));
    }
}
