package io.forebay.sidecar.store;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.store.StagedFile.Kind;
import io.forebay.sidecar.store.StagedFile.Stub;
import java.util.HexFormat;
import java.util.List;

/** Staged files as the messages, journal and records write them, and back. Pure. */
public final class StagedMessages {
    private static final long NOT_SEALED = -1;
    private static final int CRC_DIGITS = 8;

    private StagedMessages() {}

    /** Before its first byte: what is about to be made. */
    public static StagedOutput of(String output, String relative, StoreUri to, Stub stub) {
        return message(output, relative, to, stub, List.of(), NOT_SEALED, "");
    }

    /** Whole and durable. */
    public static StagedOutput of(String output, String relative, StoreUri to, StagedFile file) {
        return message(
                output,
                relative,
                to,
                file.stub(),
                file.parts(),
                file.size(),
                HexFormat.of().toHexDigits(file.crc32c(), CRC_DIGITS));
    }

    private static StagedOutput message(
            String output,
            String relative,
            StoreUri to,
            Stub stub,
            List<io.forebay.message.Messages.Part> parts,
            long size,
            String crc) {
        return new StagedOutput(
                output,
                relative,
                to.toString(),
                stub.root(),
                stub.kind().name(),
                stub.handle(),
                parts,
                size,
                crc,
                stub.meta().mode(),
                stub.meta().mtimeNanos(),
                stub.meta().linkTarget(),
                stub.readBack());
    }

    /** The place of a staged output, sealed or not. */
    public static Stub stub(StagedOutput m) {
        var key = StoreUri.parse(m.finalUri()).path();
        return new Stub(
                Kind.valueOf(m.kind()),
                key,
                m.root(),
                m.handle(),
                Math.max(0, m.size()),
                new FileMeta(m.mode(), m.mtimeNanos(), m.link()),
                m.readBack());
    }

    /** @throws IllegalArgumentException if it was not sealed */
    public static StagedFile file(StagedOutput m) {
        if (m.size() == NOT_SEALED) {
            throw new IllegalArgumentException("not sealed: " + m.finalUri());
        }
        return new StagedFile(stub(m), m.parts(), m.size(), Long.parseLong(m.crc32c(), 16));
    }
}
