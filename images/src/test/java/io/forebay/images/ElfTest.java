package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ElfTest {
    @TempDir
    Path folder;

    @Test
    void aProgramNamesItsLoaderAndItsLibraries() throws IOException {
        var java = Elf.read(Host.java()).orElseThrow();

        assertThat(java.machine()).isEqualTo(Host.architecture().elfMachine());
        assertThat(java.interpreter().orElseThrow()).startsWith("/lib").contains("ld-linux");
        assertThat(java.needed()).contains("libjli.so", "libc.so.6");
    }

    @Test
    void aLibraryNamesNoLoader() throws IOException {
        var jvm = Elf.read(Host.jdk("lib/server/libjvm.so")).orElseThrow();

        assertThat(jvm.interpreter()).isEmpty();
        assertThat(jvm.needed()).contains("libc.so.6");
    }

    @Test
    void anotherFileIsNone() throws IOException {
        assertThat(Elf.read(Files.writeString(folder.resolve("text"), "#!/bin/sh\n".repeat(20))))
                .isEmpty();
        assertThat(Elf.read(Files.createFile(folder.resolve("empty")))).isEmpty();
    }

    @Test
    void aFileThatIsCutOffIsToldByName() throws IOException {
        var whole = Files.readAllBytes(Host.java());
        var cut = Files.write(folder.resolve("cut"), Arrays.copyOf(whole, 100));

        assertThatThrownBy(() -> Elf.read(cut)).isInstanceOf(IOException.class).hasMessageContaining(cut.toString());
    }
}
