package io.forebay.bench.work;

import io.forebay.bench.measure.Command;
import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.peer.Contender;
import io.forebay.bench.result.Circumstances;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Lets the contenders do the work in turn, each round beginning with another one, and looks at every result. */
final class Referee {
    private static final int LEAST_ROUNDS = 4;

    private final Path scratch;
    private final Effort effort;
    private final Site site;

    Referee(Path scratch, Effort effort, Site site) {
        this.scratch = scratch;
        this.effort = effort;
        this.site = site;
    }

    /**
     * Until it is decided, or the time is over; a round that was begun is ended, and there are at least two.
     *
     * @throws WrongResult a contender said that it is done, and it is not
     */
    Outcome judge(Contest contest) throws IOException, InterruptedException, CommandFailed, WrongResult {
        long until = System.nanoTime() + effort.budget().next().toNanos();
        var circumstances = site.circumstances(contest);
        var runs = new ArrayList<Run>();
        if (contest.practice()) {
            // Caches of the machine are warm for the second who comes, so nobody is measured first.
            round(contest, runs, -1);
        }
        for (int round = 0; round < effort.mostRounds(); round++) {
            long began = System.nanoTime();
            round(contest, runs, round);
            // What another round would take beyond the time is another contest's.
            boolean late = System.nanoTime() + (System.nanoTime() - began) / 2 > until;
            var soFar = outcome(contest, runs, circumstances);
            if (late && round >= 1 || round + 1 >= LEAST_ROUNDS && soFar.isDecided()) {
                break;
            }
        }
        return outcome(contest, runs, circumstances);
    }

    private static Outcome outcome(Contest contest, List<Run> runs, Circumstances circumstances) {
        var names = contest.contenders().stream().map(Contender::name).toList();
        return new Outcome(contest.subject(), names, runs, circumstances);
    }

    /** @param number -1: for practice, without those that come once */
    private void round(Contest contest, List<Run> runs, int number)
            throws IOException, InterruptedException, CommandFailed, WrongResult {
        var order = new ArrayList<>(contest.contenders());
        order.removeIf(c -> c.once() && number != 0);
        Collections.rotate(order, number);
        for (var contender : order) {
            Trees.empty(contest.result());
            if (contest.before().isPresent()) {
                contest.before().get().timed(scratch);
            }
            var sample = contender.command().timed(scratch, contest.watch());
            check(contest, contender);
            if (number >= 0) {
                runs.add(new Run(contender.name(), number, sample));
            }
            System.out.println(String.format(
                    Locale.ROOT,
                    "%s %s %-14s %7.2f s  cpu %6.2f s  %4d MiB",
                    contest.subject().id(),
                    number < 0 ? "warm-up" : "round " + (number + 1),
                    contender.name(),
                    sample.seconds(),
                    sample.cpuSeconds(),
                    sample.peakKib() >> 10));
        }
        Trees.empty(contest.result());
    }

    private void check(Contest contest, Contender contender) throws IOException, WrongResult {
        var fault = contest.check().fault(Command.said(scratch));
        if (fault.isPresent()) {
            throw new WrongResult(contest.subject().id() + ": " + contender.name() + " succeeded, but " + fault.get());
        }
    }
}
