package io.forebay.sidecar.coordinator;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.forebay.message.MessageJson;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.spool.JsonSpool;
import io.forebay.sidecar.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * {@code UNEXPORTED.jsonl}: one JSON line per output that is not at its destination. A long list goes on in {@code
 * UNEXPORTED-0001.jsonl} and so on; none: the file is absent.
 */
final class UnexportedList {
    private static final int PART_BYTES = 8 << 20;

    private UnexportedList() {}

    /** Where the list goes. */
    interface Target {
        void put(String name, byte[] content) throws StoreException, InterruptedException;

        void delete(String name) throws StoreException, InterruptedException;

        static Target of(RecordsFolder folder) {
            return new Target() {
                @Override
                public void put(String name, byte[] content) throws StoreException, InterruptedException {
                    folder.put(name, content);
                }

                @Override
                public void delete(String name) throws StoreException, InterruptedException {
                    folder.delete(name);
                }
            };
        }

        /** A folder of this machine, where records cannot be written. */
        static Target of(Path folder) {
            return new Target() {
                @Override
                public void put(String name, byte[] content) throws StoreException {
                    try {
                        Files.write(folder.resolve(name), content);
                    } catch (IOException e) {
                        throw new StoreException(StoreException.Kind.PERMANENT, folder.resolve(name) + ": " + e, e);
                    }
                }

                @Override
                public void delete(String name) throws StoreException {
                    try {
                        Files.deleteIfExists(folder.resolve(name));
                    } catch (IOException e) {
                        throw new StoreException(StoreException.Kind.PERMANENT, folder.resolve(name) + ": " + e, e);
                    }
                }
            };
        }
    }

    /**
     * Writes what counts now, and corrects the tally to it.
     *
     * @param more outputs that no worker has reported yet, or whose report is not durable
     * @return how many it names; 0: there is no list
     */
    static long write(Core core, Target target, List<Unexported> more) throws StoreException, InterruptedException {
        var lines = core.tally.lines();
        var unreported = new LinkedHashMap<String, Unexported>();
        more.forEach(output -> unreported.put(identity(output), output));
        long count = 0;
        long bytes = 0;
        int part = 0;
        var out = new ByteArrayOutputStream();
        int total = total(core);
        for (int i = 0; i < total; i++) {
            var line = lines.get(i, Tally.Line.class);
            if (!counts(core, line)) {
                continue;
            }
            if (!unreported.isEmpty()) {
                unreported.remove(identity(line.output()));
            }
            count++;
            bytes += Math.max(0, line.output().size());
            out.writeBytes(JsonSpool.json(line.output()));
            out.write('\n');
            if (out.size() >= PART_BYTES) {
                target.put(name(part++), out.toByteArray());
                out.reset();
            }
        }
        for (var output : unreported.values()) {
            count++;
            bytes += Math.max(0, output.size());
            out.writeBytes(JsonSpool.json(output));
            out.write('\n');
        }
        core.lock.lock();
        try {
            core.tally.unexportedIs(count, bytes);
        } finally {
            core.lock.unlock();
        }
        if (out.size() > 0 || part > 0) {
            target.put(name(part), out.toByteArray());
        } else {
            target.delete(name(0));
        }
        return count;
    }

    /** What a list names. @param bytes of the outputs, as far as they are known */
    record Named(long count, long bytes) {
        static final Named NOTHING = new Named(0, 0);
    }

    /** The outputs that the list in the records says are kept on some machine: where. At most so many are looked at. */
    static List<String> keptAt(RecordsFolder folder, int most) throws StoreException, InterruptedException {
        var content = folder.findLarge(name(0));
        if (content.isEmpty()) {
            return List.of();
        }
        var places = new ArrayList<String>();
        for (var line : new String(content.get(), StandardCharsets.UTF_8)
                .lines()
                .limit(most)
                .toList()) {
            try {
                var at = MessageJson.MAPPER.readValue(line, Unexported.class).keptAt();
                if (at != null) {
                    places.add(at);
                }
            } catch (JsonProcessingException e) {
                // Somebody has edited it.
            }
        }
        return places;
    }

    /** The list that lies in the records now. */
    static Named named(RecordsFolder folder) throws StoreException, InterruptedException {
        long count = 0;
        long bytes = 0;
        for (int part = 0; ; part++) {
            var content = folder.findLarge(name(part));
            if (content.isEmpty()) {
                return new Named(count, bytes);
            }
            for (var line :
                    new String(content.get(), StandardCharsets.UTF_8).lines().toList()) {
                count++;
                bytes += Math.max(0, size(line));
            }
        }
    }

    private static long size(String line) {
        try {
            return MessageJson.MAPPER.readValue(line, Unexported.class).size();
        } catch (JsonProcessingException e) {
            // Somebody has edited it; it names an output all the same.
            return 0;
        }
    }

    private static String identity(Unexported output) {
        return output.item() + '\0' + output.output() + '\0' + output.path();
    }

    private static String name(int part) {
        return part == 0 ? "UNEXPORTED.jsonl" : "UNEXPORTED-%04d.jsonl".formatted(part);
    }

    private static int total(Core core) {
        core.lock.lock();
        try {
            core.tally.lines().finish();
            return core.tally.lines().size();
        } catch (IOException e) {
            throw new UncheckedIOException("the scratch folder cannot be written", e);
        } finally {
            core.lock.unlock();
        }
    }

    private static boolean counts(Core core, Tally.Line line) {
        core.lock.lock();
        try {
            return core.table.listed(line.item()) == line.failure();
        } finally {
            core.lock.unlock();
        }
    }
}
