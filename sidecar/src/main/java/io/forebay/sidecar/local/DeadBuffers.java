package io.forebay.sidecar.local;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.buffer.BufferRoots;
import io.forebay.sidecar.journal.JournalException;
import io.forebay.sidecar.journal.JournalFile;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.journal.OnDamage;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
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
        var roots = BufferHold.rootsOf(control);
        if (!isSilent(control)
                || roots.isEmpty()
                || !roots.stream().allMatch(BufferRoots::isOurs)
                || hasLivingRunner(control)
                || holdsResults(control)) {
            return Optional.empty();
        }
        long bytes = 0;
        for (var root : roots) {
            if (Files.isDirectory(Path.of(root))) {
                bytes += BufferRoots.ifUnused(root, () -> removed(root)).orElse(0L);
            }
        }
        FileTree.delete(control.toString());
        return Optional.of("removed what a killed run had left, %s in %s: all of it can be fetched again"
                .formatted(Bytes.of(bytes).human(), String.join(", ", roots)));
    }

    private static long removed(String root) throws IOException {
        long bytes = FileTree.usage(root).bytes();
        FileTree.delete(root);
        return bytes;
    }

    private boolean isSilent(Path control) throws IOException {
        for (var file : List.of(control, control.resolve("journal"))) {
            if (Files.exists(file)
                    && Files.getLastModifiedTime(file).toInstant().plus(SILENT).isAfter(now)) {
                return false;
            }
        }
        return true;
    }

    /** Commands go on for a while without an engine. */
    private static boolean hasLivingRunner(Path control) throws IOException {
        try (var locks = Files.newDirectoryStream(control, "runner-*.lock")) {
            for (var lock : locks) {
                try (var fd = Posix.open(lock.toString(), Open.RDWR | Open.NOFOLLOW)) {
                    if (!PosixLock.tryFlock(fd, true)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Also if it cannot be told. */
    private static boolean holdsResults(Path control) throws IOException {
        var journal = control.resolve("journal");
        if (!Files.exists(journal)) {
            return false;
        }
        var found = new HashSet<Class<?>>();
        try {
            var recovered = JournalFile.open(journal, OnDamage.SALVAGE, r -> {
                if (isResult(r)) {
                    found.add(r.getClass());
                }
            });
            recovered.journal().close();
            return recovered.damaged() || !found.isEmpty();
        } catch (JournalException e) {
            return true;
        }
    }

    private static boolean isResult(JournalRecord entry) {
        return switch (entry) {
            case JournalRecord.StepEnded _, JournalRecord.Staged _, JournalRecord.Granted _ -> true;
            case JournalRecord.Admitted _, JournalRecord.Fetched _, JournalRecord.StepStarted _, JournalRecord.Over _ ->
                false;
        };
    }
}
