package io.forebay.sidecar.step;

import io.forebay.sidecar.step.FrameReader.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * How a peer introduces itself.
 *
 * @param landlock version of the kernel's Landlock where its commands run; 0: none
 * @param notes what is missing there, a line each
 */
record Hello(
        int version,
        int role,
        String token,
        String seat,
        String step,
        int slots,
        long pid,
        String instance,
        int landlock,
        String notes) {

    /** More than any node runs at once. The runner's own limit. */
    private static final int MAX_SLOTS = 4096;

    static Hello read(FrameReader frame) throws ProtocolException {
        if (frame.type != Protocol.HELLO || frame.u32() != Protocol.MAGIC) {
            throw new ProtocolException("no HELLO");
        }
        int version = frame.u16();
        if (version != Protocol.VERSION) { // what follows may look otherwise
            return new Hello(version, 0, "", "", "", 0, 0, "", 0, "");
        }
        int role = frame.u8();
        String token = frame.text();
        String seat = frame.text();
        String step = frame.text();
        long slots = frame.u32();
        long pid = frame.u64();
        String instance = frame.text();
        int landlock = (int) frame.u32();
        String notes = frame.text();
        frame.end();
        if (role != Protocol.ROLE_COMMIT
                && (role != Protocol.ROLE_STEP || slots < 1 || slots > MAX_SLOTS || instance.isEmpty())) {
            throw new ProtocolException("a HELLO of role %d with %d slots".formatted(role, slots));
        }
        return new Hello(version, role, token, seat, step, (int) slots, pid, instance, landlock, notes);
    }

    /** Takes the same time wherever the difference is. */
    boolean hasToken(String expected) {
        return MessageDigest.isEqual(token.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
    }
}
