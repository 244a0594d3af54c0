package io.forebay.sidecar.store;

import java.util.Optional;
import java.util.regex.Pattern;

/** Names that are Forebay's own at stores: never inputs, never outputs. All other names are the users', however they begin. Stateless. */
public final class OwnNames {
    private OwnNames() {}

    /** How each temporary name begins. */
    public static final String TEMPORARY = ".fb-";

    /** What is told of a file that has such a name. */
    public static final String TEMPORARY_FILE = "a temporary file of Forebay's";

    /** Folders that hold records of jobs. */
    private static final String RECORDS = ".forebay";

    /** Of outputs (job or process, then a hash); of single small files; of stage-in (process, then a number). */
    private static final Pattern WHOLE = Pattern.compile(
            Pattern.quote(TEMPORARY) + "([0-9a-f]{1,17}f?-[0-9a-f]{18}|o-[0-9a-f]{16}|in-[0-9a-f]{1,16}-[0-9]{1,19})");

    /** Whether a folder of that name holds records. */
    public static boolean isRecords(String name) {
        return name.equals(RECORDS);
    }

    /** Whether a file of that name is a temporary one of ours. */
    public static boolean isTemporary(String name) {
        return name.startsWith(TEMPORARY) && WHOLE.matcher(name).matches();
    }

    /** As {@link #isTemporary(String)}, of the last component. */
    public static boolean endsInTemporary(String path) {
        return isTemporary(path.substring(path.lastIndexOf('/') + 1));
    }

    /** The first of a path's components that is ours. */
    public static Optional<String> within(String path) {
        for (var part : path.split("/", -1)) {
            if (isRecords(part) || isTemporary(part)) {
                return Optional.of(part);
            }
        }
        return Optional.empty();
    }
}
