package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Partial files and final names: what becomes visible, when, and with which content. */
class FinalNamesIT extends RigTest {

    @Test
    @DisplayName(
            "P2 a file that is appended to for a while is published with all its lines, OnClose at its close, OnItem at the commit")
    void appended() throws Exception {
        rig.input("a", "x");
        rig.job("""
                exec 3> "$FOREBAY_OUT/log"
                for i in 1 2 3 4; do echo line $i >&3; sleep 0.7; done
                exec 3>&-
                sleep 4
                ls "%1$s/closed/log" > "%2$s/seen" 2>&1
                ls "%1$s/item/log" >> "%2$s/seen" 2>&1
                true
                """.formatted(rig.results(), rig.home()), """
                  outputs:
                  - {name: closed, path: log, to: 'file://%1$s/closed/', publish: OnClose}
                  - {name: item, path: log, to: 'file://%1$s/item/'}
                """.stripTrailing().formatted(rig.results()));

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        var all = "line 1\nline 2\nline 3\nline 4\n";
        assertThat(rig.published()).containsOnly(Map.entry("closed/log", all), Map.entry("item/log", all));
        if (StepRunnerBinary.path().isPresent()) {
            assertThat(lines("seen").getFirst())
                    .as("published at its close, before the step ended")
                    .endsWith("/closed/log");
            assertThat(lines("seen").getFirst()).doesNotContain("cannot access");
        }
        assertThat(String.join("\n", lines("seen"))).as("not before the commit").contains("item/log': No such file");
    }

    @Test
    @DisplayName("P3 a file rewritten and truncated after its early copy: the last content is published")
    void rewritten() throws Exception {
        rig.input("a", "x");
        rig.job("""
                head -c 9000000 /dev/zero > "$FOREBAY_OUT/big"
                sleep 2
                head -c 5000000 /dev/urandom > "$FOREBAY_OUT/big"
                sleep 2
                truncate -s 10 "$FOREBAY_OUT/big"
                cp "$FOREBAY_OUT/big" "%s/expected"
                """.formatted(rig.home()));

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(Files.readAllBytes(rig.results().resolve("big")))
                .isEqualTo(Files.readAllBytes(rig.home().resolve("expected")));
    }

    @Test
    @DisplayName("P5 stores through a mapping after the early copy was made are in what is published")
    void mapped() throws Exception {
        org.junit.jupiter.api.Assumptions.assumeTrue(
                new ProcessBuilder("sh", "-c", "python3 -c 'import mmap'")
                                .start()
                                .waitFor()
                        == 0,
                "left out: python3 is not there");
        rig.input("a", "x");
        Files.writeString(rig.home().resolve("map.py"), """
                import mmap, os, sys, time
                path = os.environ["FOREBAY_OUT"] + "/mapped"
                with open(path, "wb") as f:
                    f.write(b"a" * 3000000)
                time.sleep(2.5)
                fd = os.open(path, os.O_RDWR)
                m = mmap.mmap(fd, 3000000)
                os.close(fd)
                m[0] = ord("b")
                m[2999999] = ord("c")
                """);
        rig.job("python3 \"" + rig.home().resolve("map.py") + "\"");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        var bytes = Files.readAllBytes(rig.results().resolve("mapped"));
        assertThat(bytes).hasSize(3_000_000).startsWith('b', 'a').endsWith('a', 'c');
    }

    @Test
    @DisplayName(
            "P4 random sequences of write, rename over, truncate, unlink: the destination equals what a plain folder would hold")
    void sequences() throws Exception {
        var random = new Random(42);
        var script = new StringBuilder();
        for (int i = 0; i < 150; i++) {
            var a = "n" + random.nextInt(3);
            var b = "n" + random.nextInt(3);
            script.append(
                    switch (random.nextInt(4)) {
                        case 0 -> "echo %d > %s\n".formatted(random.nextInt(1000), a);
                        case 1 -> "mv %s %s 2>/dev/null\n".formatted(a, b);
                        case 2 -> "rm -f %s\n".formatted(a);
                        default -> "[ -f %1$s ] && truncate -s %2$d %1$s\n".formatted(a, random.nextInt(6));
                    });
        }
        Files.writeString(rig.home().resolve("ops"), script + "true\n");
        rig.input("a", "x");
        rig.job("cd \"$FOREBAY_OUT\" && sh \"%1$s/ops\"; mkdir \"%1$s/plain\"; cd \"%1$s/plain\" && sh \"%1$s/ops\""
                .formatted(rig.home()));

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        var plain = new TreeMap<String, String>();
        try (var files = Files.list(rig.home().resolve("plain"))) {
            for (var file : files.toList()) {
                plain.put(file.getFileName().toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        assertThat(rig.published()).isEqualTo(plain);
    }

    @Test
    @DisplayName("P6 the last step fails: none of the outputs of the first is at a final name")
    void lastStepFails() throws Exception {
        rig.input("a", "x");
        rig.job("", """
                  steps:
                  - {name: one, command: [sh, -c, 'for i in 1 2 3 4 5; do head -c 100000 /dev/zero > "$FOREBAY_OUT/$i"; done; sleep 2']}
                  - {name: two, command: ["false"]}
                """.stripTrailing(), "  retry: {item: 0}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(rig.published()).isEmpty();
    }

    @Test
    @DisplayName("P8 a file deleted by its command after its early copy is absent at the destination")
    void deleted() throws Exception {
        rig.input("a", "x");
        rig.job(
                "head -c 100000 /dev/zero > \"$FOREBAY_OUT/gone\"; echo k > \"$FOREBAY_OUT/kept\"; sleep 3; rm \"$FOREBAY_OUT/gone\"");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).containsOnlyKeys("kept");
    }

    @Test
    @DisplayName(
            "P10 two items publish one final name: the second is refused by name, exit 74; never the last one wins")
    void conflict() throws Exception {
        keepsBuffer = true;
        rig.input("a/x.nii", "of a").input("b/x.nii", "of b");
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"", "  retry: {item: 0}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(74);
        assertThat(result.all()).contains("NameConflict").contains("a/x.nii").contains("b/x.nii");
        assertThat(rig.published()).hasSize(1).containsKey("x.nii");
    }

    @Test
    @DisplayName("P10 a file that two outputs match is at both destinations")
    void twoOutputs() throws Exception {
        rig.input("a", "x");
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"", """
                  outputs:
                  - {name: one, path: a, to: 'file://%1$s/one/'}
                  - {name: two, path: '*', to: 'file://%1$s/two/'}
                """.stripTrailing().formatted(rig.results()));

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).containsOnlyKeys("one/a", "two/a");
    }

    @Test
    @DisplayName("N1 N9 outputs with awkward names all arrive; a FIFO is skipped with a warning, without hanging")
    void awkwardNames() throws Exception {
        rig.input("a", "x");
        rig.job("""
                cd "$FOREBAY_OUT"
                for n in 'with space' "$(printf 'new\\nline')" "$(printf 'tab\\there')" "quote'\\"" '-dash' '$(x)' '*' '[a]' "$(printf '\\303\\251')" "$(printf 'e\\314\\201')" "$(printf '\\377\\376')"; do
                  echo v > "./$n"
                done
                mkfifo fifo
                mkdir empty
                """);

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        try (var there = Files.list(rig.results())) {
            assertThat(there.filter(p -> !p.getFileName().toString().equals(".forebay")))
                    .hasSize(12);
        }
        assertThat(rig.results().resolve("empty")).isEmptyDirectory();
    }

    @Test
    @DisplayName("N6 N7 mode and mtime are kept on the way in and out; a sparse file stays sparse")
    void metadata() throws Exception {
        rig.input("a.sh", "#!/bin/sh\n");
        var file = rig.inputs().resolve("a.sh");
        Files.setPosixFilePermissions(file, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-x---"));
        Files.setLastModifiedTime(file, java.nio.file.attribute.FileTime.fromMillis(1_500_000_000_123L));
        rig.job(
                "cp -p \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"; truncate -s 1G \"$FOREBAY_OUT/sparse\"; printf x >> \"$FOREBAY_OUT/sparse\"");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        var out = rig.results().resolve("a.sh");
        assertThat(Files.getLastModifiedTime(out).toMillis()).isEqualTo(1_500_000_000_123L);
        assertThat(java.nio.file.attribute.PosixFilePermissions.toString(Files.getPosixFilePermissions(out)))
                .isEqualTo("rwxr-x---");
        var sparse =
                io.forebay.sidecar.os.Posix.stat(rig.results().resolve("sparse").toString());
        assertThat(sparse.size()).isEqualTo((1L << 30) + 1);
        assertThat(sparse.allocatedBytes()).isLessThan(2 << 20);
    }

    @org.junit.jupiter.params.ParameterizedTest
    @org.junit.jupiter.params.provider.ValueSource(
            strings = {
                "ln -s \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/l\"",
                "echo r > \"$FOREBAY_WORK/r\"; ln -s \"$FOREBAY_WORK/r\" \"$FOREBAY_OUT/l\"",
                "echo r > \"$FOREBAY_OUT/r\"; ln -s \"$FOREBAY_OUT/r\" \"$FOREBAY_OUT/l\""
            })
    @DisplayName("D1 an output that is a link into the buffer is refused by name: published it would stand for nothing")
    void linkIntoTheBuffer(String script) throws Exception {
        rig.input("a", "x");
        rig.job("echo good > \"$FOREBAY_OUT/good\"; " + script);
        var result = rig.run();
        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(result.all())
                .contains("BadOutput", "$(OUT)/l is a symbolic link to ", "cp -L")
                .contains("nothing of this item is published. Mend the step");
        assertThat(rig.published()).isEmpty();
    }

    @Test
    @DisplayName("a relative link inside $(OUT), and one to somewhere else, are published as links")
    void otherLinks() throws Exception {
        rig.input("a", "x");
        rig.job("cd \"$FOREBAY_OUT\"; mkdir d; echo r > r; ln -s ../r d/l; ln -s /etc/hostname h");
        var result = rig.run();
        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(Files.readSymbolicLink(rig.results().resolve("d/l")).toString())
                .isEqualTo("../r");
        assertThat(Files.readSymbolicLink(rig.results().resolve("h")).toString())
                .isEqualTo("/etc/hostname");
    }

    @org.junit.jupiter.params.ParameterizedTest
    @org.junit.jupiter.params.provider.ValueSource(strings = {"OnItem", "OnClose"})
    @DisplayName("D1 an output may not be written over the job's records")
    void overTheRecords(String publish) throws Exception {
        rig.input("a", "x");
        var file = "\"$FOREBAY_OUT/.forebay/" + rig.name() + "/job.json\"";
        rig.job(
                "mkdir -p \"$FOREBAY_OUT/.forebay/" + rig.name() + "\"; echo x > " + file + "; sleep 1",
                "  outputs: [{name: out, path: '**', to: 'file://" + rig.results() + "/', publish: " + publish + "}]");
        var result = rig.run();
        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(result.all()).contains("among the records of the job");
        var verified = rig.command("verify", rig.home().resolve("job.yaml").toString());
        assertThat(verified.exit()).as(verified.all()).isEqualTo(1);
        assertThat(verified.out()).as("the records are whole").contains("1 of 1 item is not done (1 failed)");
    }
}
