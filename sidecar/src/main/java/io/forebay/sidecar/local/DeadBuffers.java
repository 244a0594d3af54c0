package io.forebay.sidecar.local;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.buffer.BufferRoots;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Buffers that this user's dead runs left on this machine. One is removed if nothing in it is worth anything: if no step of an attempt that
 * is not over has ended, all of it can be fetched again. Results of steps stay, however old: {@code forebay resume} publishes them.
 */
final class DeadBuffers {
    /** Step runners wait ten minutes for an engine that takes their commands up again. */
    private static final Duration SILENT = Duration.ofMinutes(15);

    private final Instant now;
    private final String own;

    /** @param own token of the job that is about to run: what it left itself it takes up again */
    DeadBuffers(Instant now, String own) {
        this.now = now;
        this.own = own;
    }

    /** @param bases folders where buffers lie @return what was removed, in words */
    List<String> sweep(Set<String> bases) {
        var told = new ArrayList<String>();
        for (var base : bases) {
            try {
                for (var control : BufferRoots.ours(base)) {
                    if (control.endsWith(BufferPlace.CONTROL) && !control.contains("-" + own + "-")) {
                        BufferRoots.ifUnused(control, () -> look(Path.of(control)))
                                .flatMap(words -> words)
                                .ifPresent(told::add);
                    }
                }
            } catch (IOException e) {
                told.add("buffers of dead runs in " + base + " could not be removed: " + e.getMessage());
            }
        }
        return told;
    }

    private Optional<String> look(Path control) throws IOException {
        var buffer = DeadBuffer.at(control).orElse(null);
        if (buffer == null || !buffer.isSilentSince(now.minus(SILENT))) {
            return Optional.empty();
        }
        var contents = buffer.contents();
        if (!contents.known() || contents.results()) {
            return Optional.empty();
        }
        return Optional.of("removed what a killed run had left, %s in %s: all of it can be fetched again"
                .formatted(Bytes.of(buffer.remove()).human(), buffer.where()));
    }
}
