package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.rig.JobRig.Result;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Outputs that were durable and are not any more: found, told with what to do, and only their items done again. */
class RedoIT extends RigTest {
    private String manifest() {
        return rig.home().resolve("job.yaml").toString();
    }

    private Result verify(String... options) throws Exception {
        var args = new java.util.ArrayList<>(List.of("verify"));
        args.addAll(List.of(options));
        args.add(manifest());
        return rig.command(args.toArray(String[]::new));
    }

    /** Each item says in a file of its own that it ran. */
    private String copying() {
        return "echo \"$FOREBAY_NAME\" >> '" + rig.home() + "/ran'; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"";
    }

    private Map<String, String> records() throws Exception {
        var all = new TreeMap<String, String>();
        try (var walk = Files.walk(rig.records())) {
            for (var path : walk.filter(Files::isRegularFile).toList()) {
                all.put(path.toString(), Files.getLastModifiedTime(path) + " " + Files.size(path));
            }
        }
        return all;
    }

    @Test
    @DisplayName(
            "D6 damaged, deleted and replaced outputs: verify changes nothing and says what to do; with --redo resume does those items again, and no others")
    void damagedDeletedReplaced() throws Exception {
        for (var name : List.of("damaged", "deleted", "fifo", "fine", "linked", "replaced")) {
            rig.input(name, "content of " + name);
        }
        rig.job(copying());
        assertThat(rig.run().exit()).isZero();
        var whole = rig.published();
        Files.writeString(rig.results().resolve("damaged"), "CONTENT OF DAMAGED".substring(0, 18));
        Files.delete(rig.results().resolve("deleted"));
        Files.delete(rig.results().resolve("fifo"));
        assertThat(new ProcessBuilder("mkfifo", rig.results().resolve("fifo").toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.move(rig.results().resolve("linked"), rig.home().resolve("moved"));
        Files.createSymbolicLink(rig.results().resolve("linked"), rig.home().resolve("moved"));
        Files.delete(rig.results().resolve("replaced"));
        Files.createDirectory(rig.results().resolve("replaced"));
        Files.delete(rig.home().resolve("ran"));
        var before = records();

        var found = verify();

        assertThat(found.exit()).as(found.all()).isEqualTo(74);
        assertThat(found.out())
                .contains("results/damaged (item damaged): it is a file of 18 bytes")
                .contains("results/deleted (item deleted): it is gone")
                .contains("results/replaced (item replaced): it is a folder")
                .contains("results/fifo (item fifo): it is a FIFO, its record says a file")
                .contains("results/linked (item linked): it is a symbolic link to " + rig.home() + "/moved")
                .doesNotContain("cannot be read")
                .contains("forebay verify --redo " + manifest() + ", then: forebay resume");
        assertThat(records()).as("verify alone changes nothing").isEqualTo(before);
        Files.delete(rig.results().resolve("replaced"));

        var marked = verify("--redo");

        assertThat(marked.exit()).as(marked.all()).isEqualTo(74);
        assertThat(marked.out()).contains("5 items will be done again", "forebay resume " + manifest());
        assertThat(rig.results().resolve("deleted")).doesNotExist();
        assertThat(Files.readString(rig.results().resolve("damaged"))).isEqualTo("CONTENT OF DAMAGED");
        assertThat(lines("ran")).isEmpty();
        var status = rig.command("status", manifest());
        assertThat(status.exit()).as(status.all()).isEqualTo(75);
        assertThat(status.out()).contains("1 of 6 items done, 0 failed, 5 unfinished", "5 items were found damaged");
        assertThat(verify().out()).contains("1 output of", "5 items found damaged before, and not done again yet");

        var resumed = rig.command("resume", manifest());

        assertThat(resumed.exit()).as(resumed.all()).isZero();
        assertThat(resumed.out()).contains("6 of 6 items done (1 by earlier runs)");
        assertThat(lines("ran")).containsExactlyInAnyOrder("damaged", "deleted", "fifo", "linked", "replaced");
        assertThat(rig.published()).isEqualTo(whole);
        var again = verify();
        assertThat(again.exit()).as(again.all()).isZero();
        assertThat(rig.command("status", manifest()).exit()).isZero();
    }

    @Test
    @DisplayName(
            "D6 a damaged output of a failed item (when: Failure): verify --redo says that its item is done again, and resume does it")
    void ofAFailedItem() throws Exception {
        rig.input("bad", "one").input("good", "two");
        rig.job(
                copying() + "; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/more-$FOREBAY_NAME\"; [ $FOREBAY_NAME = good ]",
                "  retry: {item: 0}",
                "  outputs:",
                "  - {name: out, path: '**', to: 'file://" + rig.results() + "/', when: Always}");
        assertThat(rig.run().exit()).isEqualTo(1);
        Files.delete(rig.results().resolve("bad"));
        Files.writeString(rig.results().resolve("more-bad"), "other");
        Files.delete(rig.home().resolve("ran"));

        var marked = verify("--redo");

        assertThat(marked.exit()).as(marked.all()).isEqualTo(74);
        assertThat(marked.out()).contains("1 item will be done again");
        assertThat(rig.command("resume", manifest()).exit()).isEqualTo(1);
        assertThat(lines("ran")).containsExactly("bad");
        assertThat(rig.results().resolve("bad")).hasContent("one");
        assertThat(rig.results().resolve("more-bad")).hasContent("one");
    }

    @Test
    @DisplayName("D6 after verify --redo the same forebay run does those items again, too")
    void byRun() throws Exception {
        rig.input("a", "one").input("b", "two");
        rig.job(copying());
        assertThat(rig.run().exit()).isZero();
        Files.writeString(rig.results().resolve("a"), "won");
        Files.delete(rig.home().resolve("ran"));
        assertThat(verify("--redo").exit()).isEqualTo(74);

        var ran = rig.run();

        assertThat(ran.exit()).as(ran.all()).isZero();
        assertThat(lines("ran")).containsExactly("a");
        assertThat(rig.published()).containsOnly(Map.entry("a", "one"), Map.entry("b", "two"));
    }

    @Test
    @DisplayName("D6 objects that were overwritten and deleted in a bucket, records there too: redone alone")
    void inABucket() throws Exception {
        rig.input("a", "one").input("b", "two").input("c", "three");
        try (var s3 = Shelf.Bucket.ofS3Proxy(rig.home().resolve("s3"))) {
            s3.environment().forEach(rig::environment);
            rig.job(
                    copying(),
                    "  outputs:",
                    "  - {name: out, path: '**', to: '" + s3.uri("out") + "'}",
                    String.join("\n", s3.stores()));
            assertThat(rig.run().exit()).isZero();
            s3.put("out/a", bytes("ONE"));
            s3.remove("out/b");
            Files.delete(rig.home().resolve("ran"));

            var marked = verify("--redo");

            assertThat(marked.exit()).as(marked.all()).isEqualTo(74);
            assertThat(marked.out()).contains("2 items will be done again");
            var resumed = rig.command("resume", manifest());
            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertThat(lines("ran")).containsExactlyInAnyOrder("a", "b");
            assertThat(s3.all("out"))
                    .containsOnly(
                            Map.entry("a", bytes("one")), Map.entry("b", bytes("two")), Map.entry("c", bytes("three")));
            assertThat(verify().exit()).isZero();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("D6 verify --redo while the job runs is refused; the run goes on")
    void whileItRuns() throws Exception {
        rig.input("a", "one");
        var go = rig.home().resolve("go");
        rig.job(copying());
        assertThat(rig.run().exit()).isZero();
        Files.delete(rig.results().resolve("a"));
        rig.input("b", "two");
        rig.job(copying() + "; while [ ! -e '" + go + "' ]; do sleep 0.1; done");
        var running = rig.startRun();
        eventually(
                "it runs",
                () -> Files.exists(rig.home().resolve("ran"))
                        && count(rig.home().resolve("ran")) >= 2);

        var refused = verify("--redo");

        Files.createFile(go);
        assertThat(refused.exit()).as(refused.all()).isEqualTo(64);
        assertThat(refused.all()).contains("runs already");
        assertThat(rig.await(running).exit()).isZero();
    }

    private static long count(Path file) {
        try {
            return Files.readAllLines(file).size();
        } catch (java.io.IOException e) {
            return 0;
        }
    }

    @Test
    @DisplayName("D6 outputs that only a record of an earlier manifest names are told as left over, and stay")
    void formerNames() throws Exception {
        rig.input("a", "one");
        rig.job(
                "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/old-$FOREBAY_NAME\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/same\"");
        assertThat(rig.run().exit()).isZero();
        rig.job(
                "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/new-$FOREBAY_NAME\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/same\"");

        var changed = rig.run();

        assertThat(changed.exit()).as(changed.all()).isZero();
        assertThat(changed.out())
                .contains("the manifest has changed")
                .contains(
                        "2 outputs of earlier runs stay where they are unless this run writes them again: forebay verify lists what is left over");
        var verified = verify();
        assertThat(verified.exit()).as(verified.all()).isZero();
        assertThat(verified.out())
                .contains("left over: file://" + rig.results() + "/old-a (item a)")
                .doesNotContain("left over: file://" + rig.results() + "/same");
        assertThat(rig.results().resolve("old-a")).hasContent("one");
    }
}
