package io.forebay.sidecar.journal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;

/**
 * A worker that does nothing but keep a journal, until it is killed: threads take items through their records and print
 * "item step" when append has returned for step 0 to 4 (4: over).
 */
final class JournalKillChild {
    private JournalKillChild() {}

    public static void main(String[] args) throws IOException {
        var journal =
                JournalFile.open(Path.of(args[0]), OnDamage.REFUSE, r -> {}).journal();
        long firstItem = Long.parseLong(args[1]);
        int threads = Integer.parseInt(args[2]);
        try (var out = new FileOutputStream(FileDescriptor.out)) {
            for (int t = 1; t < threads; t++) {
                long first = firstItem + t;
                Thread.ofPlatform().start(() -> run(journal, first, threads, out));
            }
            run(journal, firstItem, threads, out);
        }
    }

    private static void run(Journal journal, long first, int threads, FileOutputStream out) {
        var random = new Random(first);
        try {
            for (long item = first; ; item += threads) {
                for (int step = 0; step <= 4; step++) {
                    journal.append(
                            switch (step) {
                                case 0 -> SomeRecords.admitted(random, item, 1, 1);
                                case 1 -> new JournalRecord.Fetched(item, 1, 1, java.util.List.of(item));
                                case 2 -> new JournalRecord.StepStarted(item, 1, 1, "s".repeat(random.nextInt(5000)));
                                case 3 -> new JournalRecord.Granted(item, 1, 1, true, java.util.List.of());
                                default -> new JournalRecord.Over(item, 1, 1);
                            });
                    // One write call: a line is there or not.
                    out.write((item + " " + step + "\n").getBytes(StandardCharsets.US_ASCII));
                    if (step == random.nextInt(30)) {
                        break; // left alive
                    }
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
