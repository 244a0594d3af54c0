package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.DataPath.Get;
import io.forebay.sidecar.store.s3.http.Headers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** What is at a final name now: its head, or the checksum of its bytes. Thread-safe. */
final class ReadBack {
    private final Lookups lookups;
    private final DataPath data;
    private final ServerHabits habits;

    ReadBack(Lookups lookups, DataPath data, ServerHabits habits) {
        this.lookups = lookups;
        this.data = data;
        this.habits = habits;
    }

    /** @return CRC32C of the whole object that the server keeps; -1: none */
    static long wholeCrc32c(Headers head) {
        return "COMPOSITE".equals(head.get("x-amz-checksum-type")) ? -1 : Sums.crcOf(head.get("x-amz-checksum-crc32c"));
    }

    /** The object's head. @param ifMatch ETag; absent: any @throws StoreException NOT_FOUND, CHANGED */
    Headers head(String key, @Nullable String ifMatch, @Nullable String versionId)
            throws StoreException, InterruptedException {
        try {
            return lookups.head(key, ifMatch, versionId, false);
        } catch (StoreException e) {
            throw explained(key, e);
        }
    }

    /**
     * HEAD has no body, and so 400 and 403 no code: expired credentials look like missing rights. A GET of one byte tells.
     */
    private StoreException explained(String key, StoreException e) throws InterruptedException {
        int status = RefusedException.status(e);
        if ((status != 400 && status != 403) || !RefusedException.code(e).isEmpty()) {
            return e;
        }
        try {
            return data.get(new Get(key, null, null, 0, 1, false), (s, headers, body) -> e);
        } catch (StoreException told) {
            return RefusedException.code(told).isEmpty() || told.kind() == StoreException.Kind.CHANGED ? e : told;
        }
    }

    /** The object's head, with the server's checksum where it has one. @param ifMatch ETag; absent: any */
    Headers headWithChecksum(String key, @Nullable String ifMatch) throws StoreException, InterruptedException {
        if (habits.refusesChecksums()) {
            return head(key, ifMatch, null);
        }
        try {
            return lookups.head(key, ifMatch, null, true);
        } catch (StoreException e) {
            // Without the right to the object's key Amazon refuses its checksum alone, with 403.
            if (!ServerHabits.mayBeHeader(e) && e.kind() != StoreException.Kind.DENIED) {
                throw e;
            }
            return head(key, ifMatch, null);
        }
    }

    /** @param etag of the object to be read; empty: any @return CRC32C of its bytes; -1: it has not {@code size} bytes */
    long crc32c(String key, String etag, long size) throws StoreException, InterruptedException {
        return data.get(
                new Get(key, null, etag.isEmpty() ? null : etag, 0, -1, false),
                (status, headers, body) -> sum(body, size));
    }

    private static long sum(DataPath.Body body, long size) throws IOException {
        var piece = ByteBuffer.allocate(Publication.PIECE);
        var crc = new CRC32C();
        long done = 0;
        while (body.read(piece.clear()) >= 0) {
            done += piece.position();
            crc.update(piece.flip());
        }
        return done == size ? crc.getValue() : -1;
    }
}
