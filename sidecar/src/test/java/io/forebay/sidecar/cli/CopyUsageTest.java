package io.forebay.sidecar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code forebay stage-in} and {@code forebay flush} refuse before they touch anything: what was mistyped is never taken for a local path. */
@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class CopyUsageTest {
    @TempDir
    Path folder;

    private Path in() throws Exception {
        var in = Files.createDirectories(folder.resolve("in"));
        Files.writeString(in.resolve("a"), "x");
        return in;
    }

    @ParameterizedTest
    @CsvSource({
        "s3:/brain/x, s3://brain/x",
        "s3:brain, s3://brain",
        "s3//brain/x, s3://brain/x",
        "S3:/brain, s3://brain",
        "s3a:/brain, s3://brain",
        "lustre:/x/y, lustre:///x/y",
        "file:/work/x, file:///work/x"
    })
    @DisplayName(
            "a URI with a slash or colon missing is refused with 64 and what was meant, wherever it stands; nothing is copied")
    void nearlyUris(String text, String meant) throws Exception {
        var expected = "'" + text + "' is no store URI; did you mean " + meant
                + "? A local folder of that name is written ./" + text;
        for (var said : new Said[] {
            Said.of("flush", in().toString(), text),
            Said.of("flush", text, folder.toString()),
            Said.of("stage-in", text, folder.toString()),
            Said.of("stage-in", in() + "/", text)
        }) {
            assertThat(said.exit()).as(said.text()).isEqualTo(64);
            assertThat(said.text()).isEqualTo("forebay: " + expected + "\n");
        }
        assertThat(Path.of(text)).doesNotExist();
    }

    @Test
    @DisplayName("a local folder may have such a name, when it is written as a path")
    void folderNamedLikeAUri() throws Exception {
        var odd = folder + "/s3:/brain://x";

        assertThat(Said.of("flush", in().toString(), odd).exit()).isZero();
        assertThat(Path.of(odd, "a")).hasContent("x");
        assertThat(Said.of("stage-in", odd + "/", folder + "/back").exit()).isZero();
        assertThat(folder.resolve("back/a")).hasContent("x");
    }

    @Test
    @DisplayName("a URI where a local folder is needed is refused with 64 and the other command's name")
    void uriForAFolder() throws Exception {
        var staged = Said.of("stage-in", in() + "/", "s3://bucket/x/");
        assertThat(staged.exit()).isEqualTo(64);
        assertThat(staged.text()).contains("'s3://bucket/x/' is a store URI", "forebay flush");
        var flushed = Said.of("flush", "s3://bucket/x/", folder.toString());
        assertThat(flushed.exit()).isEqualTo(64);
        assertThat(flushed.text()).contains("'s3://bucket/x/' is a store URI", "forebay stage-in");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--endpoint=http://127.0.0.1:1", "--region=here", "--profile=me", "--anonymous"})
    @DisplayName("options for S3 without an s3:// URI are refused with 64, naming the option")
    void optionsWithoutS3(String option) throws Exception {
        for (var said : new Said[] {
            Said.of("flush", option, in().toString(), folder + "/out"),
            Said.of("stage-in", option, in() + "/", folder + "/out")
        }) {
            assertThat(said.exit()).as(said.text()).isEqualTo(64);
            assertThat(said.text()).contains(option.replaceAll("=.*", "") + " is for S3", "is no s3:// URI");
        }
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:9000", "htp://x", "http://x/path", "http:// x", "http://"})
    @DisplayName("an endpoint that is none is refused with 64, once, before anything begins")
    void badEndpoint(String endpoint) throws Exception {
        for (var said : new Said[] {
            Said.of("flush", "--endpoint", endpoint, in().toString(), "s3://bucket/x/"),
            Said.of("stage-in", "--endpoint", endpoint, "s3://bucket/x/", folder + "/out")
        }) {
            assertThat(said.exit()).as(said.text()).isEqualTo(64);
            assertThat(said.text()).hasLineCount(1).contains("--endpoint: '" + endpoint + "' is no endpoint");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3://brain/..", "s3://brain/../x/", "s3://brain/a/./b", "s3://brain/."})
    @DisplayName("a key with a part . or .. is refused with 64 before any request")
    void dots(String uri) throws Exception {
        for (var said : new Said[] {
            Said.of("flush", in().toString(), uri), Said.of("stage-in", uri, folder + "/out"),
        }) {
            assertThat(said.exit()).as(said.text()).isEqualTo(64);
            assertThat(said.text()).hasLineCount(1).contains(uri, "is not allowed as a part of a key");
        }
    }

    @Test
    @DisplayName(
            "--include selects links and empty folders as it selects files; what it does not select is not staged, and nothing at all is 65")
    void includeIsForAllKinds() throws Exception {
        Files.createSymbolicLink(in().resolve("link.txt"), Path.of("a"));
        Files.createDirectories(in().resolve("hollow.txt"));
        Files.createDirectories(in().resolve("other"));

        var none = Said.of("stage-in", "--include", "*.nii", in() + "/", folder + "/none");
        var some = Said.of("stage-in", "--include", "*.txt", in() + "/", folder + "/some");

        assertThat(none.exit()).as(none.text()).isEqualTo(65);
        assertThat(none.text()).contains("has no file that matches --include");
        assertThat(folder.resolve("none")).isEmptyDirectory();
        assertThat(some.exit()).as(some.text()).isZero();
        assertThat(folder.resolve("some").toFile().list()).containsExactlyInAnyOrder("link.txt", "hollow.txt");
    }

    @Test
    @DisplayName("flush whose --include matches none of the folder's files: 65; of an empty folder: 0")
    void nothingToFlush() throws Exception {
        var typo = Said.of("flush", "--include", "*.nii", in().toString(), folder + "/out");
        var empty = Said.of(
                "flush",
                "--include",
                "*.nii",
                Files.createDirectory(folder.resolve("e")).toString(),
                folder + "/out");

        assertThat(typo.exit()).as(typo.text()).isEqualTo(65);
        assertThat(typo.text())
                .contains("nothing to flush: of 1 files below " + in() + " none matches --include *.nii");
        assertThat(empty.exit()).as(empty.text()).isZero();
        assertThat(empty.text()).contains("nothing to flush: ");
    }
}
