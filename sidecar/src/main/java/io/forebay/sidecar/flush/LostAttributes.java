package io.forebay.sidecar.flush;

import io.forebay.api.name.Printable;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixXattr;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Says, once, that extended attributes and access control lists are not carried over (N6). Thread-safe. */
final class LostAttributes {
    private final Consumer<String> tell;
    private final AtomicBoolean told = new AtomicBoolean();

    LostAttributes(Consumer<String> tell) {
        this.tell = tell;
    }

    void look(OutputFile file) {
        if (told.get() || file.kind() != OutputFile.Kind.FILE) {
            return;
        }
        try {
            var lost = PosixXattr.list(file.path()).stream()
                    .filter(LostAttributes::isUsers)
                    .toList();
            if (!lost.isEmpty() && told.compareAndSet(false, true)) {
                tell.accept(Printable.message(file.relative() + " has extended attributes or an access control list ("
                        + String.join(", ", lost)
                        + "): they are not carried over to " + file.to() + ", nor are others'; mode and time are."));
            }
        } catch (PosixException e) {
            // A file system without them, or a file that is gone: what follows tells.
        }
    }

    /** Not what the system itself keeps there. */
    private static boolean isUsers(String name) {
        return name.startsWith("user.") || name.startsWith("system.posix_acl_") || name.equals("security.capability");
    }
}
