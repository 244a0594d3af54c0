package io.forebay.bench.work;

import io.forebay.bench.measure.Command;
import io.forebay.bench.measure.Stopwatch;
import io.forebay.bench.peer.Contender;
import io.forebay.bench.result.Subject;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One piece of work that several do in turn.
 *
 * @param result folder that each contender fills, emptied before the next
 * @param before run before each contender, not timed
 * @param practice whether a first round is not counted, in which the machine's caches become warm
 */
record Contest(
        Subject subject,
        List<Contender> contenders,
        Check check,
        Path result,
        Stopwatch watch,
        Optional<Command> before,
        boolean practice) {
    Contest {
        contenders = List.copyOf(contenders);
    }

    /** What is timed is the whole process. */
    Contest(Subject subject, List<Contender> contenders, Check check, Path result) {
        this(subject, contenders, check, result, Stopwatch.whole(), Optional.empty(), true);
    }

    Contest timedBy(Stopwatch other) {
        return new Contest(subject, contenders, check, result, other, before, practice);
    }

    Contest after(Command preparation) {
        return new Contest(subject, contenders, check, result, watch, Optional.of(preparation), practice);
    }

    /** For long work, in which it does not matter who comes first. */
    Contest atOnce() {
        return new Contest(subject, contenders, check, result, watch, before, false);
    }
}
