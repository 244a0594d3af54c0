package io.forebay.sidecar.records;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Names a process so that another process can tell later whether it still lives: process ids are used again, so the start time
 * belongs to the name, and an id means something only under one boot of one kernel and in one pid namespace.
 */
public record ProcessIdentity(String host, long pid, long processStart, String bootId, String pidNamespace) {

    public static ProcessIdentity ofThisProcess() {
        long pid = ProcessHandle.current().pid();
        return new ProcessIdentity(
                hostName(), pid, startTicks(pid), read("/proc/sys/kernel/random/boot_id"), pidNamespaceNow());
    }

    /** Whether that process lives; empty: it cannot be told from here. */
    public Optional<Boolean> seesAlive(Claim claim) {
        boolean comparable = !bootId.isEmpty()
                && bootId.equals(claim.bootId())
                && !pidNamespace.isEmpty()
                && pidNamespace.equals(claim.pidNamespace())
                && claim.processStart() != 0;
        if (!comparable) {
            return Optional.empty();
        }
        return Optional.of(startTicks(claim.pid()) == claim.processStart());
    }

    /** Field 22 of /proc/pid/stat; the name before it may hold spaces and parentheses. 0: no such process, or a zombie. */
    private static long startTicks(long pid) {
        var stat = read("/proc/" + pid + "/stat");
        int name = stat.lastIndexOf(')');
        if (name < 0) {
            return 0;
        }
        var fields = stat.substring(name + 2).split(" ");
        boolean gone = fields[0].equals("Z") || fields[0].equals("X");
        return gone || fields.length < 20 ? 0 : Long.parseLong(fields[19]);
    }

    private static String pidNamespaceNow() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    private static String hostName() {
        var name = read("/proc/sys/kernel/hostname");
        if (!name.isEmpty()) {
            return name;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    private static String read(String path) {
        try {
            return new String(Files.readAllBytes(Path.of(path)), StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
