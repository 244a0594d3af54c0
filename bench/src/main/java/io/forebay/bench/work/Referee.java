package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Locale;

/** Lets the contenders do the work in turn, each round beginning with another one, and looks at every result. */
public final class Referee {
    private static final int MOST_ROUNDS = 20;
    private static final int LEAST_ROUNDS = 4;

    private final Path scratch;
    private final Duration most;

    /** @param most time for one contest; a round that was begun is ended, and there are at least two */
    public Referee(Path scratch, Duration most) {
        this.scratch = scratch;
        this.most = most;
    }

    /** @throws WrongResult a contender said that it is done, and it is not */
    public Outcome judge(Contest contest) throws IOException, InterruptedException, CommandFailed, WrongResult {
        var outcome = new Outcome(contest);
        long until = System.nanoTime() + most.toNanos();
        // Caches of the machine are warm for the second who comes, so nobody is measured first.
        round(contest, outcome, -1);
        for (int round = 0; round < MOST_ROUNDS; round++) {
            round(contest, outcome, round);
            boolean late = System.nanoTime() > until;
            if (late && round >= 1 || round + 1 >= LEAST_ROUNDS && outcome.isDecided()) {
                break;
            }
        }
        return outcome;
    }

    /** @param number -1: for practice, without those that come seldom */
    private void round(Contest contest, Outcome outcome, int number)
            throws IOException, InterruptedException, CommandFailed, WrongResult {
        var order = new ArrayList<>(contest.contenders());
        Collections.rotate(order, number);
        for (var contender : order) {
            if (number < 0 && contender.every() > 1 || number >= 0 && number % contender.every() != 0) {
                continue;
            }
            Trees.empty(contest.result());
            var sample = contender.command().timed(scratch);
            var truth = contest.truth();
            if (truth.isPresent()) {
                var difference = Trees.difference(truth.get(), contest.result());
                if (difference.isPresent()) {
                    throw new WrongResult(
                            contest.id() + ": " + contender.name() + " succeeded, but " + difference.get());
                }
            }
            if (number >= 0) {
                outcome.add(contender.name(), number, sample);
            }
            System.out.println(String.format(
                    Locale.ROOT,
                    "%s %s %-14s %7.2f s  cpu %6.2f s  %4d MiB",
                    contest.id(),
                    number < 0 ? "warm-up" : "round " + (number + 1),
                    contender.name(),
                    sample.seconds(),
                    sample.cpuSeconds(),
                    sample.peakKib() >> 10));
        }
        Trees.empty(contest.result());
    }
}
