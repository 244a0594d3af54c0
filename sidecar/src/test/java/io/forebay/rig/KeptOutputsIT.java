package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Outputs that could not be exported are kept in the buffer: a run that they leave no room ends by itself, says so, and is finished by resume. */
class KeptOutputsIT extends RigTest {
    private static final int MIB = 1 << 20;
    private static final String SMALL_TIER = "  buffer: {tiers: [{medium: Disk, size: 64Mi}]}";

    private void items(String prefix, int count, int bytes) {
        for (int i = 0; i < count; i++) {
            rig.input(prefix + "%02d".formatted(i), bytes(bytes));
        }
    }

    /** Without holes: those take no room. */
    private static byte[] bytes(int count) {
        var content = new byte[count];
        new Random(7).nextBytes(content);
        return content;
    }

    private void job(ScriptedS3 s3, String... more) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        var spec = new ArrayList<String>(List.of(
                "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                "  outputs: [{name: out, path: '**', to: 's3://bucket/out/'}]",
                "  records: file://" + rig.results() + "/.forebay/"));
        spec.addAll(List.of(more));
        rig.job(
                "echo $FOREBAY_NAME >> \"" + rig.home().resolve("ran") + "\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                spec.toArray(String[]::new));
    }

    private void deny(ScriptedS3 s3, String prefix) {
        s3.on(
                r -> !r.method().equals("GET") && r.key().startsWith("out/" + prefix),
                (r, good) -> Answer.error(403, "AccessDenied"));
    }

    /** Mends the destination, and what is left of the job is done, no command of a kept output once more. */
    private void resumes(ScriptedS3 s3, int items) throws Exception {
        s3.behave();
        var resumed = rig.command("resume", rig.home().resolve("job.yaml").toString());
        assertThat(resumed.exit()).as(resumed.all()).isZero();
        assertThat(s3.objects().keys()).hasSize(items);
        assertThat(lines("ran")).as(resumed.all()).hasSize(items).doesNotHaveDuplicates();
        assertThat(unexported()).isEmpty();
        keepsBuffer = false;
    }

    @Test
    @DisplayName(
            "D1 C7 more outputs are denied than the buffer holds: the run ends by itself with 74, kept outputs listed, the other items told as not run; resume does all")
    void allDenied() throws Exception {
        keepsBuffer = true;
        items("f", 80, 2 * MIB);
        try (var s3 = ScriptedS3.start("bucket")) {
            deny(s3, "");
            job(s3, SMALL_TIER);

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            int kept = unexported().size();
            assertThat(kept).as(result.all()).isBetween(10, 32);
            assertThat(lines("ran")).hasSize(kept);
            assertThat(result.out())
                    .contains("no room for item f")
                    .contains("NOT exported: " + kept + " outputs")
                    .contains("their data are kept in")
                    .contains("not run: f")
                    .contains(" and " + (80 - kept - 20) + " more: no room in the buffer: ")
                    .contains("outputs that could not be exported are kept")
                    .contains((80 - kept) + " unfinished");
            resumes(s3, 80);
        }
    }

    @Test
    @DisplayName(
            "C7 of an attempt that has succeeded only its outputs are kept: the room that they take, and what is told of it, is theirs; resume needs no input again")
    void outputsAlone() throws Exception {
        keepsBuffer = true;
        items("f", 12, 9_000_000);
        try (var s3 = ScriptedS3.start("bucket")) {
            deny(s3, "");
            job(s3, SMALL_TIER);

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            int kept = unexported().size();
            assertThat(kept).as(result.all()).isBetween(4, 7);
            var told = Pattern.compile("keeps ([0-9.]+) MiB of them").matcher(result.out());
            assertThat(told.find()).as(result.all()).isTrue();
            double outputs = kept * 9_000_000.0 / MIB;
            assertThat(Double.parseDouble(told.group(1))).as(result.all()).isBetween(outputs / 2, outputs + 0.2);
            resumes(s3, 12);
        }
    }

    @Test
    @DisplayName(
            "an item larger than the room that kept outputs leave is not run, in a memory and in a disk tier; smaller ones, shared input and all, go on")
    void largeOneIsLeft() throws Exception {
        keepsBuffer = true;
        items("bad", 18, 4 * MIB);
        items("good", 20, MIB / 4);
        rig.input("huge", bytes(20 * MIB));
        var atlas = Files.write(rig.home().resolve("atlas"), bytes(MIB));
        try (var s3 = ScriptedS3.start("bucket")) {
            deny(s3, "bad");
            job(
                    s3,
                    "  inputs:",
                    "  - {name: in, source: 'file://" + rig.inputs() + "/'}",
                    "  - {name: atlas, source: 'file://" + atlas + "'}",
                    "  forEach: {input: in}",
                    "  buffer: {tiers: [{medium: Memory, size: 64Mi}, {medium: Disk, size: 64Mi}]}");

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            assertThat(result.out()).contains("not run: huge: no room in the buffer: ");
            assertThat(s3.objects().keys()).hasSize(20);
            assertThat(unexported()).hasSize(18);
            resumes(s3, 39);
        }
    }

    private int progressLines() {
        try {
            return (int) lines("log-0.out").stream()
                    .filter(l -> l.startsWith("Running"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName(
            "a destination that is away for a while, with a full buffer behind it: nothing is given up while it is tried again, exit 0")
    void triedAgain() throws Exception {
        items("f", 40, 2 * MIB);
        try (var s3 = ScriptedS3.start("bucket")) {
            // Until everything that the buffer holds is on its way, and nothing else moves for a while.
            var away = new CountDownLatch(1);
            s3.on(r -> r.method().equals("PUT") && away.getCount() > 0, (r, good) -> {
                away.await(60, TimeUnit.SECONDS);
                return Answer.error(503, "SlowDown");
            });
            job(s3, SMALL_TIER);

            var run = rig.startRun();
            eventually("nothing more fits", () -> s3.count(r -> r.method().equals("PUT")) >= 8);
            int before = progressLines();
            eventually("it was seen to stand for a while", () -> progressLines() > before + 1);
            away.countDown();
            var result = rig.await(run);

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(s3.objects().keys()).hasSize(40);
            assertThat(result.out()).doesNotContain("no room").doesNotContain("not run");
        }
    }

    @Test
    @DisplayName("apart: two workers whose buffers are full of kept outputs leave, and the coordinator ends with 74")
    void apart() throws Exception {
        keepsBuffer = true;
        items("f", 100, 2 * MIB);
        var apart = new ApartRig(rig);
        try (var s3 = ScriptedS3.start("bucket")) {
            deny(s3, "");
            job(s3, SMALL_TIER, "  workers: {min: 2, max: 2, slots: 2}");
            var coordinator = apart.coordinator();
            var a = apart.worker("a");
            var b = apart.worker("b");

            var result = rig.await(coordinator);

            assertThat(result.exit()).as(apart.printed()).isEqualTo(74);
            assertThat(unexported()).hasSizeGreaterThan(5);
            assertThat(result.out())
                    .contains("NOT exported: " + unexported().size() + " outputs")
                    .contains("not run: f");
            assertThat(rig.await(a).out()).contains("what is not exported is kept in");
            assertThat(rig.await(b).out()).contains("what is not exported is kept in");
        }
    }
}
