package io.forebay.sidecar.records;

/**
 * Who holds a generation.
 *
 * @param generation 1, 2, ...
 * @param host name of the machine or pod
 * @param pid process id on it
 * @param processStart clock ticks after boot when the process started, as in /proc/pid/stat; 0: not known
 * @param bootId of the kernel; empty: not known
 * @param pidNamespace in which {@code pid} means something; empty: not known
 * @param startedAt milliseconds since 1970 UTC
 * @param log where its log is: {@code file} or {@code objects}
 */
public record Claim(
        String job,
        int generation,
        String host,
        long pid,
        long processStart,
        String bootId,
        String pidNamespace,
        long startedAt,
        String log) {

    /** Object name of a generation's claim, seal, log and so on. */
    static String name(String kind, int generation) {
        return "%s-%06d".formatted(kind, generation);
    }

    boolean inFile() {
        return log.equals("file");
    }
}
