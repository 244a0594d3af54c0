package io.forebay.bench.work;

import io.forebay.bench.peer.Contender;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One piece of work that several do in turn.
 *
 * @param id B1, B2, ... and what it is a variant of
 * @param truth folder whose files the result must equal, byte for byte; absent: nothing is left by it
 * @param result folder that each contender fills, removed before the next
 * @param mebibytes carried, for rates; 0: not the point
 */
public record Contest(
        String id,
        String title,
        Goal goal,
        List<Contender> contenders,
        Optional<Path> truth,
        Path result,
        double mebibytes) {
    public Contest {
        contenders = List.copyOf(contenders);
        if (contenders.stream().filter(Contender::ours).count() != 1) {
            throw new IllegalArgumentException(id + ": not one of the contenders is Forebay");
        }
    }
}
