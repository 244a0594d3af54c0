package io.forebay.sidecar.plan;

import io.forebay.message.MessageJson;
import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.records.LogEntry.Planned;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.spool.JsonSpool;
import io.forebay.sidecar.store.StoreException;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * The plan in the records: segments of some thousand lines, gzip (whose checksum guards them). A line is one letter, a space
 * and JSON: {@code S} an input shared by all items, {@code I} an item, {@code L} a file left out. Segments count only when the
 * log says that the plan is complete; their names hold the generation that wrote them, so nobody overwrites another's.
 */
public final class PlanStore {
    /** Before compression. */
    private static final int SEGMENT_BYTES = 4 << 20;

    private PlanStore() {}

    private static String name(int plan, int segment) {
        return "plan-%06d-%04d.jsonl.gz".formatted(plan, segment);
    }

    /** @return number of segments */
    public static int write(RecordsFolder folder, int generation, Plan plan)
            throws StoreException, IOException, InterruptedException {
        var writer = new Writer(folder, generation);
        writer.all('S', plan.sharedSpool());
        writer.all('I', plan.items());
        writer.all('L', plan.leftOutSpool());
        return writer.finish();
    }

    private static final class Writer {
        private final RecordsFolder folder;
        private final int generation;
        private int segments;
        private int raw;
        private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private OutputStream gzip;

        Writer(RecordsFolder folder, int generation) throws IOException {
            this.folder = folder;
            this.generation = generation;
            this.gzip = new FastGzip(bytes);
        }

        void all(char letter, JsonSpool spool) throws StoreException, IOException, InterruptedException {
            for (int i = 0; i < spool.size(); i++) {
                var json = spool.get(i);
                gzip.write(letter);
                gzip.write(' ');
                gzip.write(json);
                gzip.write('\n');
                raw += json.length + 3;
                if (raw >= SEGMENT_BYTES) {
                    end();
                }
            }
        }

        private void end() throws StoreException, IOException, InterruptedException {
            gzip.close();
            folder.put(name(generation, segments), bytes.toByteArray());
            segments++;
            raw = 0;
            bytes = new ByteArrayOutputStream();
            gzip = new FastGzip(bytes);
        }

        int finish() throws StoreException, IOException, InterruptedException {
            end();
            return segments;
        }
    }

    /** Several times as fast as the default level, for some percent more bytes. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, 1 << 13);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    /** @throws RecordsDamagedException it is not what {@code planned} says */
    public static Plan read(RecordsFolder folder, Planned planned, Path scratch)
            throws StoreException, RecordsDamagedException, IOException, InterruptedException {
        var plan = new Plan(scratch);
        for (int segment = 0; segment < planned.segments(); segment++) {
            var name = name(planned.plan(), segment);
            var content = folder.findLarge(name)
                    .orElseThrow(() ->
                            new RecordsDamagedException(folder.uri().resolve(name) + " is missing; run with --fresh"));
            try (var lines = lines(content)) {
                for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                    var json = line.substring(2).getBytes(StandardCharsets.ISO_8859_1);
                    spool(plan, line.charAt(0), name).append(json);
                }
            } catch (IOException e) {
                throw new RecordsDamagedException(folder.uri().resolve(name) + " is damaged; run with --fresh", e);
            }
        }
        if (plan.size() != planned.items()) {
            throw new RecordsDamagedException("the plan in " + folder.uri() + " has " + plan.size()
                    + " items instead of " + planned.items() + "; run with --fresh");
        }
        long sharedBytes = 0;
        plan.sharedSpool().finish();
        for (var input : plan.shared()) {
            sharedBytes += input.size();
        }
        plan.finish(new Plan.Totals(
                planned.items(),
                planned.files(),
                planned.bytes(),
                plan.sharedSpool().size(),
                sharedBytes,
                planned.outsideGroups(),
                planned.unusable(),
                planned.warnings()));
        return plan;
    }

    /**
     * Names of shared inputs whose files are others in {@code now} than in the plan on record, or of other content as far as sizes and times
     * tell. Reads no more of that plan than these.
     *
     * @throws RecordsDamagedException it cannot be read
     */
    public static List<String> changedShared(RecordsFolder folder, Planned planned, Plan now)
            throws StoreException, RecordsDamagedException, IOException, InterruptedException {
        var before = new SharedSums();
        for (int segment = 0; segment < planned.segments(); segment++) {
            var name = name(planned.plan(), segment);
            var content = folder.findLarge(name)
                    .orElseThrow(() -> new RecordsDamagedException(folder.uri().resolve(name) + " is missing"));
            try (var lines = lines(content)) {
                var line = lines.readLine();
                for (; line != null && line.charAt(0) == 'S'; line = lines.readLine()) {
                    before.add(MessageJson.MAPPER.readValue(
                            line.substring(2).getBytes(StandardCharsets.ISO_8859_1), ItemInput.class));
                }
                if (line != null) {
                    break;
                }
            }
        }
        var after = new SharedSums();
        now.shared().forEach(after::add);
        return after.differing(before);
    }

    private static BufferedReader lines(byte[] content) throws IOException {
        return new BufferedReader(new InputStreamReader(
                new GZIPInputStream(new ByteArrayInputStream(content), 1 << 13), StandardCharsets.ISO_8859_1));
    }

    private static JsonSpool spool(Plan plan, char letter, String name) throws RecordsDamagedException {
        return switch (letter) {
            case 'S' -> plan.sharedSpool();
            case 'I' -> plan.items();
            case 'L' -> plan.leftOutSpool();
            default -> throw new RecordsDamagedException(name + " has a line of unknown kind '" + letter + "'");
        };
    }
}
