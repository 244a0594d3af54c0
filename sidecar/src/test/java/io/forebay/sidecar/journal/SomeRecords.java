package io.forebay.sidecar.journal;

import io.forebay.api.name.NameBytes;
import io.forebay.message.Messages.ItemInput;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.Part;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.StepRun;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Records of every kind, with names of any bytes. */
final class SomeRecords {
    private SomeRecords() {}

    static Arbitrary<JournalRecord> any() {
        return Arbitraries.randomValue(random -> record(random, Math.abs(random.nextLong() % 50)));
    }

    static JournalRecord record(RandomGenerator random, long item) {
        int generation = 1 + random.nextInt(2);
        int attempt = 1 + random.nextInt(3);
        return switch (random.nextInt(8)) {
            case 0 -> admitted(random, item, generation, attempt);
            case 1 -> new JournalRecord.Fetched(item, generation, attempt, longs(random));
            case 2 -> new JournalRecord.StepStarted(item, generation, attempt, name(random));
            case 3 -> new JournalRecord.StepEnded(item, generation, attempt, stepRun(random));
            case 4 -> new JournalRecord.Staged(item, generation, attempt, outputs(random));
            case 5 -> new JournalRecord.Granted(item, generation, attempt, random.nextBoolean(), outputs(random));
            case 6 ->
                new JournalRecord.Kept(
                        item, generation, attempt, random.nextBoolean(), random.nextBoolean(), kept(random));
            default -> new JournalRecord.Over(item, generation, attempt);
        };
    }

    static JournalRecord.Admitted admitted(RandomGenerator random, long item, int generation, int attempt) {
        var inputs = new ArrayList<ItemInput>();
        for (int i = random.nextInt(4); i > 0; i--) {
            inputs.add(new ItemInput(
                    "chunks",
                    "s3://brain/" + name(random),
                    name(random),
                    random.nextLong(1L << 40),
                    "s3:1:2:" + name(random) + ":",
                    0644,
                    random.nextLong(),
                    random.nextBoolean() ? null : name(random)));
        }
        var lease = new ItemLease(
                item,
                "ab12",
                generation,
                attempt,
                name(random),
                inputs,
                random.nextInt(3),
                random.nextBoolean(),
                random.nextBoolean() ? List.of() : List.of("0a1b2c3d", ""));
        return new JournalRecord.Admitted(
                lease,
                random.nextInt(3),
                random.nextBoolean() ? "" : "a-1",
                random.nextBoolean() ? "" : Long.toString(random.nextInt(1 << 20), 36));
    }

    static String name(RandomGenerator random) {
        var bytes = new byte[random.nextInt(24)];
        random.nextBytes(bytes);
        return NameBytes.decode(bytes);
    }

    private static StepRun stepRun(RandomGenerator random) {
        return new StepRun(
                "smooth",
                List.of("sh", "-c", name(random)),
                random.nextInt(256),
                random.nextInt(32),
                random.nextLong(1L << 40),
                1,
                2,
                random.nextLong(1L << 40),
                name(random).repeat(20));
    }

    private static List<StagedOutput> outputs(RandomGenerator random) {
        var outputs = new ArrayList<StagedOutput>();
        for (int i = random.nextInt(3); i > 0; i--) {
            outputs.add(new StagedOutput(
                    "result",
                    name(random),
                    "lustre:///scratch/" + name(random),
                    "/scratch/",
                    "UPLOAD",
                    name(random),
                    List.of(new Part(1, name(random), 5 << 20, "00ff00ff")),
                    random.nextLong(1L << 40),
                    "00ff00ff",
                    0640,
                    random.nextLong(),
                    null,
                    random.nextBoolean()));
        }
        return outputs;
    }

    private static List<JournalRecord.KeptOutput> kept(RandomGenerator random) {
        var outputs = new ArrayList<JournalRecord.KeptOutput>();
        for (int i = random.nextInt(3); i > 0; i--) {
            outputs.add(new JournalRecord.KeptOutput(
                    "result",
                    name(random),
                    "file:///scratch/" + name(random),
                    "FILE",
                    random.nextLong(1L << 40),
                    "00ff00ff",
                    0640,
                    random.nextBoolean() ? null : name(random)));
        }
        return outputs;
    }

    private static List<Long> longs(RandomGenerator random) {
        var longs = new ArrayList<Long>();
        for (int i = random.nextInt(5); i > 0; i--) {
            longs.add(random.nextLong(1L << 32));
        }
        return longs;
    }

    /** What a journal with these records gives back: the records of attempts that are not over. */
    static List<JournalRecord> alive(List<JournalRecord> written) {
        var alive = new ArrayList<JournalRecord>();
        for (var r : written) {
            if (r instanceof JournalRecord.Over) {
                alive.removeIf(a -> Attempt.of(a).equals(Attempt.of(r)));
            } else {
                alive.add(r);
            }
        }
        return alive;
    }
}
