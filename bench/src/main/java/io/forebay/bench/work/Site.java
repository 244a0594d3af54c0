package io.forebay.bench.work;

import io.forebay.bench.peer.Programs;
import io.forebay.bench.result.Circumstances;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** This machine and what is installed on it. */
final class Site {
    private final Map<String, String> versions;
    private final String machine;

    private Site(Map<String, String> versions, String machine) {
        this.versions = versions;
        this.machine = machine;
    }

    static Site look(Programs programs) throws IOException, InterruptedException {
        return new Site(programs.versions(), machine());
    }

    /** Now, with the versions of those who take part. */
    Circumstances circumstances(Contest contest) throws IOException {
        var used = new LinkedHashMap<String, String>();
        versions.forEach((name, version) -> {
            if (contest.subject().id().contains(name)
                    || contest.contenders().stream().anyMatch(c -> c.name().startsWith(name))) {
                used.put(name, version);
            }
        });
        double load =
                Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ")[1]);
        return new Circumstances(LocalDate.now(ZoneOffset.UTC), machine, load, used);
    }

    private static String machine() throws IOException {
        var cpu = first(Path.of("/proc/cpuinfo"), "model name").orElse("an unknown processor");
        long kib = first(Path.of("/proc/meminfo"), "MemTotal")
                .map(t -> Long.parseLong(t.replaceAll("\\D", "")))
                .orElse(0L);
        return "%d processors (%s), %d GiB, Linux %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        cpu,
                        Math.round(kib / 1048576.0),
                        System.getProperty("os.version"));
    }

    private static Optional<String> first(Path file, String name) throws IOException {
        return Files.readAllLines(file, StandardCharsets.UTF_8).stream()
                .filter(l -> l.startsWith(name))
                .map(l -> l.substring(l.indexOf(':') + 1).strip())
                .findFirst();
    }
}
