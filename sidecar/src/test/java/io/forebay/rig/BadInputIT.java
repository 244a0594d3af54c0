package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.rig.JobRig.Result;
import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input gets one clear line and the right exit code: what, where, why, what to do; never a stack trace or a class name. */
class BadInputIT extends RigTest {
    private static final String COPY = "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"";

    /** @param says each must be told to the user */
    private static void refused(Result result, int exit, String... says) {
        assertThat(result.exit()).as(result.all()).isEqualTo(exit);
        assertThat(result.all()).contains(says);
        assertThat(result.all())
                .doesNotContain("\tat ")
                .doesNotContain("Caused by")
                .doesNotContainPattern("[A-Za-z]+Exception")
                .doesNotContain("java.lang.")
                .doesNotContain("io.forebay.")
                .doesNotContain("software.amazon")
                .doesNotContain("fault of Forebay's own");
    }

    private String manifest() {
        return rig.home().resolve("job.yaml").toString();
    }

    private void nothingStarted() {
        assertThat(rig.results()).doesNotExist();
    }

    @Test
    @DisplayName("an unknown field is named with its line, exit 64, nothing is started")
    void unknownField() throws Exception {
        rig.input("a", "x");
        rig.job(COPY, "  onFailure: Stop");
        refused(rig.run(), 64, "onFailure", "job.yaml", "onItemFailure");
        nothingStarted();
    }

    @Test
    @DisplayName("a value of the wrong type is named with field and value, exit 64")
    void wrongType() throws Exception {
        rig.input("a", "x");
        rig.job(COPY, "  workers: {slots: many}");
        refused(rig.run(), 64, "slots", "many");
        nothingStarted();
    }

    @Test
    @DisplayName("3.5TB is no quantity: the message says which suffixes there are, exit 64")
    void quantity() throws Exception {
        rig.input("a", "x");
        rig.job(COPY, "  buffer: {tiers: [{medium: Memory, size: 3.5TB}]}");
        refused(rig.run(), 64, "3.5TB", "size", "Ti");
        nothingStarted();
    }

    @Test
    @DisplayName("a variable in the text of sh -c is refused, exit 64, with the environment variable to use")
    void variableInScript() throws Exception {
        rig.input("a", "x");
        rig.job("cp $(INPUT) out");
        refused(rig.run(), 64, "$(INPUT)", "FOREBAY_INPUT");
        nothingStarted();
    }

    @Test
    @DisplayName("a glob that matches nothing is named with the folder it looked in, exit 65")
    void globMatchesNothing() throws Exception {
        rig.input("a.txt", "x");
        rig.job(
                COPY,
                "  inputs: [{name: in, source: 'file://" + rig.inputs() + "/', include: ['*.nii']}]",
                "  forEach: {input: in}");
        refused(rig.run(), 65, "*.nii", rig.inputs().toString());
    }

    @Test
    @DisplayName("a source folder that is not there is named, exit 65")
    void noSuchFolder() throws Exception {
        rig.job(COPY, "  inputs: [{name: in, source: 'file://" + rig.home() + "/absent/'}]", "  forEach: {input: in}");
        refused(rig.run(), 65, rig.home() + "/absent");
    }

    private String[] fromS3(ScriptedS3 s3, String bucket) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        return new String[] {
            "  stores: [{uri: 's3://" + bucket + "', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
            "  inputs: [{name: in, source: 's3://" + bucket + "/in/'}]",
            "  forEach: {input: in}",
            "  retry: {item: 0}"
        };
    }

    @Test
    @DisplayName("a bucket that does not exist is named with its endpoint's answer, exit 65")
    void missingBucket() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> true, (r, good) -> Answer.error(404, "NoSuchBucket"));
            rig.job(COPY, fromS3(s3, "absent"));
            refused(rig.run(), 65, "absent", "NoSuchBucket");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 404})
    @DisplayName("an object that answers 403 or 404 is named, exit 65, the others are published")
    void objectDeniedOrGone(int status) throws Exception {
        var code = status == 403 ? "AccessDenied" : "NoSuchKey";
        try (var s3 = ScriptedS3.start("bucket")) {
            rig.job(COPY, fromS3(s3, "bucket"));
            put(s3, "in/good");
            put(s3, "in/bad");
            s3.on(r -> r.isData("GET") && r.key().equals("in/bad"), (r, good) -> Answer.error(status, code));
            var result = rig.run();
            refused(result, 65, "s3://bucket/in/bad", String.valueOf(status));
            assertThat(result.all()).as("nothing has run").doesNotContain("what failed attempts printed");
            assertThat(rig.published()).containsOnlyKeys("good");
        }
    }

    @Test
    @DisplayName("a list that is denied ends the job at once, exit 65, with bucket and reason")
    void listDenied() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> true, (r, good) -> Answer.error(403, "AccessDenied"));
            rig.job(COPY, fromS3(s3, "bucket"));
            refused(rig.run(), 65, "s3://bucket/in/", "AccessDenied");
        }
    }

    private static void put(ScriptedS3 s3, String key) throws Exception {
        var request = java.net.http.HttpRequest.newBuilder(s3.endpoint().resolve("/bucket/" + key))
                .PUT(java.net.http.HttpRequest.BodyPublishers.ofString("v"))
                .build();
        try (var client = java.net.http.HttpClient.newHttpClient()) {
            assertThat(client.send(request, java.net.http.HttpResponse.BodyHandlers.discarding())
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    @DisplayName("a file that may not be read is named with the reason, exit 65, the others are published")
    void unreadableFile() throws Exception {
        rig.input("good", "v").input("secret", "v");
        rig.job(COPY, "  retry: {item: 0}");
        Files.setPosixFilePermissions(rig.inputs().resolve("secret"), PosixFilePermissions.fromString("---------"));
        assumeTrue(!Files.isReadable(rig.inputs().resolve("secret")), "left out: this user (root) may read every file");
        refused(rig.run(), 65, "in/secret", "ermission");
        assertThat(rig.published()).containsOnlyKeys("good");
    }

    @Test
    @DisplayName(
            "D1 flush of a folder with one in it that may not be read: named, exit 74, what was found is published")
    void closedFolder() throws Exception {
        var closed = Files.createDirectories(rig.inputs().resolve("closed"));
        rig.input("good", "v");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        try {
            assumeTrue(!Files.isReadable(closed), "left out: this user (root) may read every folder");
            refused(rig.command("flush", rig.inputs().toString(), rig.results() + "/"), 74, "in/closed", "ermission");
            assertThat(rig.published()).containsOnlyKeys("good");
        } finally {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    @DisplayName("a destination that is mounted read-only is named with the reason, exit 74, and nothing is lost")
    void readOnlyDestination() throws Exception {
        var target = Files.createDirectories(rig.home().resolve("readonly"));
        assumeTrue(
                command("mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", target.toString()),
                "left out: mount(8) needs root");
        try {
            rig.input("a", "x");
            rig.job(
                    COPY,
                    "  outputs: [{name: out, path: '**', to: 'file://" + target + "/'}]",
                    "  records: file://" + rig.results() + "/.forebay/",
                    "  retry: {item: 0}");
            keepsBuffer = true;
            var result = rig.run();
            refused(result, 74, target.toString(), "read-only", "not durable (exit 74): ");
            assertThat(result.all()).doesNotContain("FATAL");
            assertThat(unexported()).hasSize(1);
        } finally {
            command("umount", target.toString());
        }
    }

    @Test
    @DisplayName(
            "a read-only destination for more items than the buffer holds: the run ends at once, with 74, instead of waiting for room")
    void readOnlyDestinationOfMany() throws Exception {
        var target = Files.createDirectories(rig.home().resolve("readonly"));
        assumeTrue(
                command("mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", target.toString()),
                "left out: mount(8) needs root");
        try {
            for (int i = 0; i < 20; i++) {
                rig.input("f" + i, new byte[5 << 20]);
            }
            rig.job(
                    COPY,
                    "  outputs: [{name: out, path: '**', to: 'file://" + target + "/'}]",
                    "  records: file://" + rig.results() + "/.forebay/",
                    "  buffer: {tiers: [{medium: Disk, size: 128Mi}]}");
            keepsBuffer = true;
            refused(rig.run(), 74, target.toString(), "read-only");
            assertThat(unexported()).isNotEmpty();
        } finally {
            command("umount", target.toString());
        }
    }

    @Test
    @DisplayName("records on a read-only file system: refused before anything starts, with folder and reason")
    void readOnlyRecords() throws Exception {
        var target = Files.createDirectories(rig.home().resolve("readonly"));
        assumeTrue(
                command("mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", target.toString()),
                "left out: mount(8) needs root");
        try {
            rig.input("a", "x");
            rig.job(COPY, "  outputs: [{name: out, path: '**', to: 'file://" + target + "/'}]");
            refused(rig.run(), 74, target.toString(), "read-only");
        } finally {
            command("umount", target.toString());
        }
    }

    private static boolean command(String... argv) throws Exception {
        var process = new ProcessBuilder(argv)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    @Test
    @DisplayName("a command that is not there: exit 1, code 127 and the name of the command")
    void commandNotFound() throws Exception {
        rig.input("a", "x");
        rig.job("", "  retry: {item: 0}", "  steps: [{name: work, command: [no-such-command, $(INPUT)]}]");
        refused(rig.run(), 1, "127", "no-such-command", "step work of item a");
    }

    @Test
    @DisplayName("a command that is killed: exit 1, with step, item and signal")
    void killed() throws Exception {
        rig.input("a", "x");
        rig.job("kill -9 $$$$", "  retry: {item: 0}");
        refused(rig.run(), 1, "step work of item a", "signal 9");
    }

    @Test
    @DisplayName("an input that changes during the run: that item fails with its name and what to do, exit 65")
    void inputChanges() throws Exception {
        rig.input("a", "x").input("b", "x");
        // The first item of one slot rewrites whichever of the two is not its own before that one is fetched again.
        rig.job(
                "echo other > \"" + rig.inputs() + "/b\"; " + COPY,
                "  retry: {item: 0}",
                "  workers: {slots: 1}",
                "  stores: [{uri: 'file://" + rig.inputs() + "', readBandwidth: 1Ki}]");
        rig.input("b", new byte[20_000]);
        refused(rig.run(), 65, "in/b", "no longer the version that was planned");
    }

    @Test
    @DisplayName("two outputs with one name: exit 74, both items named, the first one is published")
    void oneName() throws Exception {
        rig.input("x/same", "1").input("y/same", "2");
        rig.job(COPY, "  retry: {item: 0}");
        keepsBuffer = true;
        var result = rig.run();
        refused(result, 74, "same", "x/same", "y/same");
        assertThat(result.all())
                .as("resumed as it is, it fails again for ever")
                .contains("first change to of the output")
                .doesNotContain("finish with: forebay resume");
        assertThat(rig.published()).containsOnlyKeys("same");
    }

    @Test
    @DisplayName(
            "records of another job of the same name: told how much runs again, nothing of the other one is taken for done")
    void otherJob() throws Exception {
        rig.input("a", "x");
        rig.job(COPY);
        assertThat(rig.run().exit()).isZero();
        rig.job("echo other > \"$FOREBAY_OUT/other\"");
        var result = rig.run();
        refused(result, 0, "the manifest has changed", "1 of 1 items are run");
        assertThat(rig.published()).containsKeys("a", "other");
    }

    @Test
    @DisplayName("an unknown option is named, exit 64")
    void unknownOption() throws Exception {
        rig.input("a", "x");
        rig.job(COPY);
        refused(rig.run("--frehs"), 64, "--frehs", "--help");
    }

    @Test
    @DisplayName("a word that an option does not know is named with those it knows, exit 64")
    void unknownWord() throws Exception {
        rig.input("a", "x");
        rig.job(COPY);
        refused(rig.run("--images", "maybe"), 64, "--images", "maybe", "REQUIRE");
        refused(rig.run("-o", "xml"), 64, "xml", "json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "plan", "validate", "status", "resume", "verify"})
    @DisplayName("a manifest that is missing, empty, a folder or binary is named, exit 64")
    void badManifest(String verb) throws Exception {
        refused(rig.command(verb, "absent.yaml"), 64, "absent.yaml");
        Files.writeString(rig.home().resolve("empty.yaml"), "");
        refused(rig.command(verb, "empty.yaml"), 64, "empty.yaml", "empty");
        refused(rig.command(verb, rig.inputs().toString()), 64, rig.inputs().toString(), "folder");
        Files.write(rig.home().resolve("binary.yaml"), new byte[] {0, 1, (byte) 0xff, (byte) 0xfe, 0});
        refused(rig.command(verb, "binary.yaml"), 64, "binary.yaml");
    }

    @ParameterizedTest
    @ValueSource(strings = {"status", "resume", "verify"})
    @DisplayName("a job that was never started has no records: one line, exit 65, nothing is made")
    void noRecords(String verb) throws Exception {
        rig.input("a", "x");
        rig.job(COPY);
        refused(
                rig.command(verb, manifest()),
                65,
                rig.name(),
                "no records",
                rig.results().toString(),
                "forebay run");
        nothingStarted();
        assertThat(rig.command("plan", manifest()).exit()).isZero();
        nothingStarted();
    }

    @Test
    @DisplayName("a records folder that is a file is named, whatever asks for it")
    void recordsAreAFile() throws Exception {
        rig.input("a", "x");
        Files.createDirectories(rig.results());
        Files.writeString(rig.results().resolve(".forebay"), "");
        rig.job(COPY);
        for (var verb : new String[] {"run", "status", "verify"}) {
            var result = rig.command(verb, manifest());
            refused(
                    result,
                    result.exit(),
                    Path.of(rig.results().toString(), ".forebay").toString());
            assertThat(result.exit()).isNotZero();
        }
    }
}
