package io.forebay.sidecar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.AutoComplete;
import picocli.CommandLine;

class ValidateCommandTest {
    private static final String VALID = """
            apiVersion: forebay.io/v1alpha1
            kind: PipelineJob
            metadata: {name: hello}
            spec:
              steps:
              - {name: hello, command: [echo, hello]}
              outputs:
              - {name: greeting, to: "file://./out/"}
            """;

    @TempDir
    Path folder;

    private StringWriter out;
    private StringWriter err;

    @BeforeEach
    void freshStreams() {
        out = new StringWriter();
        err = new StringWriter();
    }

    private int run(InputStream in, String... args) {
        return command(in).execute(args);
    }

    private CommandLine command(InputStream in) {
        return new CommandLine(new ValidateCommand(in))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err));
    }

    private int run(String... args) {
        return run(InputStream.nullInputStream(), args);
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void aValidManifestIsSaidToBeSo() throws IOException {
        var file = file("job.yaml", VALID);
        assertThat(run(file)).isZero();
        assertThat(out.toString()).isEqualTo(file + ": valid\n");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    @DisplayName("K4 an invalid manifest ends with 64 and one line per problem, with file, field and line")
    void invalid() throws IOException {
        var good = file("good.yaml", VALID);
        var bad = file("bad.yaml", VALID + "  retry: {item: -1}\n  workers: {slot: 1}\n");
        assertThat(run(good, bad)).isEqualTo(64);
        assertThat(out.toString()).isEqualTo(good + ": valid\n");
        assertThat(err.toString().lines())
                .containsExactly(
                        bad + ": spec.retry.item: -1 is out of range; write a whole number from 0 to 100 (line 9)",
                        bad + ": spec.workers.slot: unknown field; did you mean 'slots'? (line 10)");
    }

    @Test
    @DisplayName("G4 the pattern [a- is refused with its text, field and position")
    void malformedGlob() throws IOException {
        var file = file("job.yaml", VALID.replace("to: ", "path: \"[a-\", to: "));
        assertThat(run(file)).isEqualTo(64);
        assertThat(err.toString()).startsWith(file + ": spec.outputs[0].path: '[a-': unclosed class at '[a-'; ");
    }

    @Test
    @DisplayName("K9 a newline in a value does not make a second line")
    void newlineInAValue() throws IOException {
        var file = file("job.yaml", VALID.replace("name: greeting", "name: \"a\\nb\\e\""));
        assertThat(run(file)).isEqualTo(64);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("'a\\u000ab\\u001b' cannot end the name");
    }

    @Test
    void standardInputIsRead() {
        assertThat(run(new ByteArrayInputStream(VALID.getBytes(StandardCharsets.UTF_8)), "-"))
                .isZero();
        assertThat(out.toString()).isEqualTo("-: valid\n");
    }

    @Test
    void filesThatCannotBeReadAreNamed() {
        var missing = folder.resolve("missing.yaml").toString();
        assertThat(run(missing, folder.toString())).isEqualTo(64);
        assertThat(err.toString().lines().toList())
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo(missing + ": there is no such file"),
                        second -> assertThat(second).isEqualTo(folder + ": it is a folder; name the manifest in it"));
    }

    @Test
    @DisplayName("K9 what has no end, or waits for ever, is refused unread: a FIFO, a device, endless standard input")
    void withoutEnd() throws Exception {
        var fifo = folder.resolve("fifo").toString();
        assertThat(new ProcessBuilder("mkfifo", fifo).start().waitFor()).isZero();
        assertThat(run(endless(), fifo, "/dev/zero", "-")).isEqualTo(64);
        assertThat(err.toString().lines().toList())
                .satisfiesExactly(
                        first -> assertThat(first).startsWith(fifo + ": it is no regular file (a pipe or a device)"),
                        second -> assertThat(second).startsWith("/dev/zero: it is no regular file"),
                        third -> assertThat(third).startsWith("-: it has more than 1048576 bytes"));
    }

    @Test
    @DisplayName("K9 of a file of 5 GB no more is read than a manifest may have")
    void huge() throws IOException {
        var file = folder.resolve("huge.yaml");
        try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(5_000_000_000L);
        }
        assertThat(run(file.toString())).isEqualTo(64);
        assertThat(err.toString())
                .isEqualTo(file + ": it has more than 1048576 bytes, the most that a manifest may have;"
                        + " is it another file?\n");
    }

    private static InputStream endless() {
        return new InputStream() {
            @Override
            public int read() {
                return '#';
            }
        };
    }

    @Test
    void jsonHoldsAllOfIt() throws IOException {
        var good = file("good.yaml", VALID);
        var bad = file("bad.yaml", VALID.replace("name: hello}", "name: Hällo}"));
        assertThat(run("-o", "json", good, bad)).isEqualTo(64);
        assertThat(err.toString()).isEmpty();
        var json = new ObjectMapper().readTree(out.toString());
        assertThat(json.get(0).get("valid").asBoolean()).isTrue();
        var problem = json.get(1).get("problems").get(0);
        assertThat(json.get(1).get("file").asText()).isEqualTo(bad);
        assertThat(problem.get("field").asText()).isEqualTo("metadata.name");
        assertThat(problem.get("value").asText()).isEqualTo("Hällo");
        assertThat(problem.get("line").asInt()).isEqualTo(3);
        assertThat(problem.get("message").asText()).startsWith("'Hällo' is no name");
    }

    @Test
    void usageFaultsAreToldByTheCommandLine() {
        assertThat(run()).isNotZero();
        assertThat(err.toString()).contains("FILE");
    }

    @Test
    void shellCompletionKnowsTheOptions() {
        var script = AutoComplete.bash("validate", command(InputStream.nullInputStream()));
        assertThat(script).contains("--output").contains("text").contains("json");
    }
}
