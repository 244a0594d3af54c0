package io.forebay.bench.work;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Looks whether a contender that said so has done the work. */
@FunctionalInterface
interface Check {
    /** @param said a file with what it printed @return what is wrong, in words */
    Optional<String> fault(Path said) throws IOException;

    /** Nothing is left by which it could be seen. */
    static Check none() {
        return said -> Optional.empty();
    }

    /** The same files with the same bytes. */
    static Check equal(Path truth, Path result) {
        return said -> Trees.difference(truth, result);
    }

    /** It printed as many lines as that, or, if it tells a number, the number. */
    static Check told(int count) {
        return said -> {
            long lines;
            try (var all = Files.lines(said)) {
                lines = all.count();
            }
            if (lines == count) {
                return Optional.empty();
            }
            var text = lines < 1000 ? Files.readString(said).replaceAll("(?<=\\d)[, ](?=\\d)", "") : "";
            return text.matches("(?s).*\\b" + count + "\\b.*")
                    ? Optional.empty()
                    : Optional.of("it told of " + lines + " lines, not of " + count + ": "
                            + text.substring(0, Math.min(500, text.length())));
        };
    }
}
