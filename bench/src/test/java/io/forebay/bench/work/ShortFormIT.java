package io.forebay.bench.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.bench.measure.Command;
import io.forebay.bench.measure.Sample;
import io.forebay.bench.peer.Contender;
import io.forebay.bench.peer.Programs;
import io.forebay.bench.peer.Programs.Link;
import io.forebay.bench.server.S3Server;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The benchmarks in short, against regressions. Judged are processor seconds, the least of three runs, against another program's in the same
 * test: the clock would judge the neighbours. Each limit is about 4 times what was measured when it was set; memory is as in the goals.
 */
@Tag("slow")
@Tag("bench")
class ShortFormIT {
    private static final int ROUNDS = 3;
    private static final long GOAL_MEMORY_KIB = 160 << 10;

    private final Path checkout = Path.of("").toAbsolutePath().getParent();
    private final Programs programs = new Programs(checkout, cache());
    private Workshop shop;

    private static Path cache() {
        var told = System.getenv("FOREBAY_CACHE");
        var xdg = System.getenv("XDG_CACHE_HOME");
        var folder = told != null
                ? Path.of(told)
                : (xdg != null ? Path.of(xdg) : Path.of(System.getProperty("user.home"), ".cache")).resolve("forebay");
        return folder.resolve("bench");
    }

    /** The launcher builds what is missing; that is not measured. */
    @BeforeEach
    void open() throws Exception {
        there(Path.of("/usr/bin/time"));
        assumeTrue(Files.isWritable(Path.of("/dev/shm")), "no /dev/shm to work in");
        shop = Workshop.open(
                programs,
                Files.createDirectories(checkout.resolve("bench/target/short-form")),
                new Effort(new Budget(Duration.ofMinutes(1), 1), ROUNDS, 1));
        programs.forebay("--version").command().timed(shop.scratch());
    }

    @AfterEach
    void close() throws Exception {
        if (shop != null) {
            shop.close();
        }
    }

    private static void there(Path program) {
        assumeTrue(Files.isExecutable(program), "no " + program + ": bench/peers puts the benchmarks' peers there");
    }

    /** Runs them in turn, with a check of each. @return of each the run with the least processor time, and the most memory of any */
    private Map<String, Sample> least(List<Contender> contenders, Path result, Check check) throws Exception {
        var least = new LinkedHashMap<String, Sample>();
        for (int round = 0; round < ROUNDS; round++) {
            for (var contender : contenders) {
                Trees.empty(result);
                var sample = contender.command().timed(shop.scratch());
                assertThat(check.fault(Command.said(shop.scratch())))
                        .as(contender.name())
                        .isEqualTo(Optional.empty());
                least.merge(
                        contender.name(),
                        sample,
                        (a, b) -> new Sample(
                                Math.min(a.seconds(), b.seconds()),
                                Math.min(a.cpuSeconds(), b.cpuSeconds()),
                                Math.max(a.peakKib(), b.peakKib())));
            }
        }
        return least;
    }

    private static void judge(Map<String, Sample> found, String peer, double most) {
        var ours = found.get("forebay");
        // GNU time tells hundredths of a second.
        double theirs = Math.max(0.01, found.get(peer).cpuSeconds());
        assertThat(ours.cpuSeconds() / theirs)
                .as("processor seconds, %s: %s", "forebay over " + peer, found)
                .isLessThan(most);
        assertThat(ours.peakKib()).as("most resident memory, KiB").isLessThan(GOAL_MEMORY_KIB);
    }

    private void stageIn(int files, long bytes, double most) throws Exception {
        there(programs.rclone());
        there(programs.versitygw());
        there(programs.s5cmd());
        var truth = Trees.random(shop.memory().resolve("truth"), files, bytes);
        var result = shop.memory().resolve("result");
        try (var server = S3Server.versitygw(programs.versitygw(), shop.memory().resolve("server"))) {
            programs.upload(server.endpoint(), truth, "data").timed(shop.scratch());
            var contenders = programs.stageIn(new Link(server.endpoint(), files > 1, false), "data", result).stream()
                    .filter(c -> !c.name().equals("s5cmd"))
                    .toList();
            judge(least(contenders, result, Check.equal(truth, result)), "rclone", most);
        }
    }

    @Test
    @DisplayName(
            "B1 in short: one object of 512 MiB into memory (measured: 3.6 times the processor seconds of rclone, start included)")
    void oneLargeObject() throws Exception {
        stageIn(1, 512L << 20, 15);
    }

    @Test
    @DisplayName(
            "B2 in short: 1,000 objects of 10 KiB into memory (measured: 3.5 times the processor seconds of rclone, start included)")
    void manySmallObjects() throws Exception {
        stageIn(1000, 10 << 10, 14);
    }

    @Test
    @DisplayName(
            "B6 in short: 500 tiny files from memory to disk, each durable (measured: 3 to 4 times the processor seconds of a bare start)")
    void tinyFiles() throws Exception {
        var truth = Trees.random(shop.memory().resolve("truth"), 500, 10);
        var result = shop.disk().resolve("result");
        var found = least(
                List.of(programs.forebay("flush", truth.toString(), result.toString())),
                result,
                Check.equal(truth, result));
        found.putAll(bareStart("a start"));
        judge(found, "a start", 16);
    }

    private Map<String, Sample> bareStart(String name) throws Exception {
        var version = Contender.peer(name, programs.forebay("--version").command());
        return least(List.of(version), shop.disk().resolve("nothing"), Check.none());
    }

    @Test
    @DisplayName(
            "B10 in short: a start is so many times that of a Java that says its version (measured: 5 times), a run so many starts (4 to 5)")
    void starts() throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin/java").toString();
        var bare = Contender.peer(
                "java",
                new Command(
                        List.of(java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "--version"),
                        Map.of()));
        var result = shop.disk().resolve("result");
        judge(least(List.of(programs.forebay("--version"), bare), result, Check.none()), "java", 24);

        var in = Files.createDirectories(shop.disk().resolve("in"));
        Files.writeString(in.resolve("empty"), "");
        var job = Items.job(shop.disk(), in, result, "true", 1);
        var run = least(List.of(programs.forebay("run", "--progress", "none", job.toString())), result, Check.none());
        run.putAll(bareStart("a start"));
        judge(run, "a start", 20);
    }
}
