package io.forebay.sidecar.local;

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
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The control folder and the tiers of a worker whose process is gone. Looked at and removed while nobody else uses the control folder. */
final class DeadBuffer {
    private final Path control;
    private final List<String> roots;

    private DeadBuffer(Path control, List<String> roots) {
        this.control = control;
        this.roots = roots;
    }

    /** @return empty: it does not say which tiers are its own, or names some that are not this user's, or commands of it still run */
    static Optional<DeadBuffer> at(Path control) throws IOException {
        var roots = BufferHold.rootsOf(control);
        boolean ours = !roots.isEmpty() && roots.stream().allMatch(BufferRoots::isOurs);
        return ours && !hasLivingRunner(control) ? Optional.of(new DeadBuffer(control, roots)) : Optional.empty();
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

    /** Whether nothing has been written there since. */
    boolean isSilentSince(Instant then) throws IOException {
        for (var file : List.of(control, journal())) {
            if (Files.exists(file)
                    && Files.getLastModifiedTime(file).toInstant().isAfter(then)) {
                return false;
            }
        }
        return true;
    }

    private Path journal() {
        return control.resolve("journal");
    }

    /**
     * What it was at when it died.
     *
     * @param known false: it cannot be told
     * @param items identities of the items with an attempt that is not over
     * @param results whether a step of such an attempt has ended
     */
    record Contents(boolean known, Set<String> items, boolean results) {
        Contents {
            items = Set.copyOf(items);
        }
    }

    Contents contents() throws IOException {
        if (!Files.exists(journal())) {
            return new Contents(true, Set.of(), false);
        }
        var seen = new Seen();
        try {
            var recovered = JournalFile.open(journal(), OnDamage.SALVAGE, seen::see);
            recovered.journal().close();
            return new Contents(
                    !recovered.damaged() && seen.items.keySet().containsAll(seen.attempts),
                    Set.copyOf(seen.items.values()),
                    seen.results);
        } catch (JournalException e) {
            return new Contents(false, Set.of(), true);
        }
    }

    private static final class Seen {
        private record Attempt(long item, int generation, int number) {}

        private final Set<Attempt> attempts = new HashSet<>();
        private final Map<Attempt, String> items = new HashMap<>();
        private boolean results;

        void see(JournalRecord entry) {
            var attempt = new Attempt(entry.item(), entry.generation(), entry.attempt());
            attempts.add(attempt);
            switch (entry) {
                case JournalRecord.Admitted a -> items.put(attempt, a.lease().itemId());
                case JournalRecord.StepEnded _, JournalRecord.Staged _, JournalRecord.Granted _, JournalRecord.Kept _ ->
                    results = true;
                case JournalRecord.Fetched _, JournalRecord.StepStarted _, JournalRecord.Over _ -> {}
            }
        }
    }

    /** @return bytes that are free again */
    long remove() throws IOException {
        long bytes = 0;
        for (var root : roots) {
            if (Files.isDirectory(Path.of(root))) {
                bytes += BufferRoots.ifUnused(root, () -> removed(root)).orElse(0L);
            }
        }
        FileTree.delete(control.toString());
        return bytes;
    }

    private static long removed(String root) throws IOException {
        long bytes = FileTree.usage(root).bytes();
        FileTree.delete(root);
        return bytes;
    }

    /** For people. */
    String where() {
        return String.join(", ", roots);
    }
}
