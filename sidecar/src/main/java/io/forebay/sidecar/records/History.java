package io.forebay.sidecar.records;

import io.forebay.message.MessageJson;
import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The logs of all coordinators of a job, oldest first, as far as they count.
 *
 * <p>The seal of the highest generation that wrote one says how far each log before it counts; logs from there on count as far
 * as they go. A later seal always knows of an earlier one's generation, so lower seals say nothing more.
 */
public final class History {
    /** Gets entries in order. */
    @FunctionalInterface
    public interface EntrySink {
        void accept(LogEntry entry) throws StoreException, RecordsDamagedException, InterruptedException;
    }

    /** Which entries are wanted: the others are checked, but not parsed. */
    @FunctionalInterface
    public interface TypeFilter {
        boolean wanted(String type);
    }

    /** Gets entries in order, before they are parsed. */
    @FunctionalInterface
    public interface LineSink {
        void accept(LogLine line) throws StoreException, RecordsDamagedException, InterruptedException;
    }

    private final RecordsFolder folder;
    private final List<Claim> claims;
    /** Replaced once, by {@link #seal}. */
    private @Nullable Seal seal;

    private History(RecordsFolder folder, List<Claim> claims, @Nullable Seal seal) {
        this.folder = folder;
        this.claims = List.copyOf(claims);
        this.seal = seal;
    }

    /** Everything there is. */
    public static History of(RecordsFolder folder)
            throws StoreException, RecordsDamagedException, InterruptedException {
        return before(folder, highestGeneration(folder) + 1);
    }

    /** @param generation whose log does not belong to it any more */
    static History before(RecordsFolder folder, int generation)
            throws StoreException, RecordsDamagedException, InterruptedException {
        var claims = new ArrayList<Claim>();
        for (int g = 1; g < generation; g++) {
            claims.add(read(folder, Claim.name("generation", g), Claim.class));
        }
        for (int g = generation - 1; g > 1; g--) {
            var name = Claim.name("seal", g);
            if (folder.exists(name)) {
                return new History(folder, claims, read(folder, name, Seal.class));
            }
        }
        return new History(folder, claims, null);
    }

    /** Number of the last claim; 0: none. Claims have no gaps, so no listing is needed. */
    static int highestGeneration(RecordsFolder folder) throws StoreException, InterruptedException {
        int low = 0;
        int step = 1;
        while (folder.exists(Claim.name("generation", low + step))) {
            low += step;
            step *= 2;
        }
        // generation-(low) exists (or low is 0), generation-(low + step) does not.
        int high = low + step;
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (folder.exists(Claim.name("generation", middle))) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Coordinators whose logs no seal says the extent of. */
    List<Claim> unsealed() {
        var known = seal;
        return known == null
                ? claims
                : claims.stream()
                        .filter(c -> !known.read().containsKey(c.generation()))
                        .toList();
    }

    /** The last coordinator; null: there was none. */
    public @Nullable Claim last() {
        return claims.isEmpty() ? null : claims.getLast();
    }

    /** Calls the sink with every entry of a wanted type that counts. May be repeated, with the same result once sealed. */
    public void replay(TypeFilter filter, EntrySink sink)
            throws StoreException, RecordsDamagedException, InterruptedException {
        readAll(parsing(filter, sink));
    }

    /** As {@link #replay}, of all types, unparsed. */
    public void replayLines(LineSink sink) throws StoreException, RecordsDamagedException, InterruptedException {
        readAll(sink);
    }

    private static LineSink parsing(TypeFilter filter, EntrySink sink) {
        return line -> {
            if (filter.wanted(line.type())) {
                sink.accept(line.parse());
            }
        };
    }

    /**
     * Reads everything and fixes how far that was.
     *
     * @return the seal, to be written by coordinator {@code generation} before it appends anything
     */
    Seal seal(int generation, TypeFilter filter, EntrySink sink)
            throws StoreException, RecordsDamagedException, InterruptedException {
        seal = new Seal(generation, readAll(parsing(filter, sink)));
        return seal;
    }

    /** As {@link #seal}, but nothing that was written before counts. */
    Seal sealAsVoid(int generation) {
        var nothing = new HashMap<Integer, Seal.Read>();
        claims.forEach(c -> nothing.put(c.generation(), Seal.Read.NOTHING));
        seal = new Seal(generation, nothing);
        return seal;
    }

    private Map<Integer, Seal.Read> readAll(LineSink sink)
            throws StoreException, RecordsDamagedException, InterruptedException {
        var read = new HashMap<Integer, Seal.Read>();
        for (var claim : claims) {
            var limit = seal == null ? null : seal.read().get(claim.generation());
            read.put(
                    claim.generation(),
                    new LogReader(folder, claim)
                            .read(limit, (line, from, to) -> sink.accept(new LogLine(line, from, to))));
        }
        return read;
    }

    static <T> T read(RecordsFolder folder, String name, Class<T> type)
            throws StoreException, RecordsDamagedException, InterruptedException {
        try {
            return MessageJson.MAPPER.readValue(folder.get(name), type);
        } catch (IOException e) {
            throw new RecordsDamagedException(
                    folder.uri().resolve(name) + " is no record of Forebay's: " + e.getMessage(), e);
        }
    }
}
