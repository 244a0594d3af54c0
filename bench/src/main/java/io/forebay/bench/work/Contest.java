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
 * @param truth folder whose files the result must equal, byte for byte; absent: nothing is left by it
 * @param result folder that each contender fills, emptied before the next
 * @param before run before each contender, not timed
 */
record Contest(
        Subject subject,
        List<Contender> contenders,
        Optional<Path> truth,
        Path result,
        Stopwatch watch,
        Optional<Command> before) {
    Contest {
        contenders = List.copyOf(contenders);
    }

    /** What is timed is the whole process. */
    Contest(Subject subject, List<Contender> contenders, Optional<Path> truth, Path result) {
        this(subject, contenders, truth, result, Stopwatch.whole(), Optional.empty());
    }

    Contest timedBy(Stopwatch other) {
        return new Contest(subject, contenders, truth, result, other, before);
    }

    Contest after(Command preparation) {
        return new Contest(subject, contenders, truth, result, watch, Optional.of(preparation));
    }
}
