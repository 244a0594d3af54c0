package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Medium;
import io.forebay.sidecar.buffer.BufferRoots;
import io.forebay.sidecar.buffer.TierConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where a worker's buffer lies on this machine. The names follow from user, job, records folder and worker alone, so that the next run of
 * the same finds what a killed one left.
 *
 * @param jobToken 8 characters of [0-9a-f], the same for the same job, whatever the worker
 * @param worker its name; empty: the only one of the job on this machine
 * @param control journal, socket, token: beside the first tier, so that it lives exactly as long as the data it tells of
 * @param logs what commands printed, until it is in the records
 * @param tiers as the manifest orders them, memory cut to what this machine can give
 * @param notes what was cut, for the user
 */
public record BufferPlace(
        String jobToken, String worker, Path control, Path logs, List<TierConfig> tiers, List<String> notes) {
    /** How the name of a control folder ends that lies beside its first tier. */
    static final String CONTROL = "-control";

    private static final int TOKEN_BYTES = 4;

    public BufferPlace {
        tiers = List.copyOf(tiers);
        notes = List.copyOf(notes);
    }

    /**
     * What is said about it beside the manifest.
     *
     * @param worker tells the workers of one job on this machine apart; empty: there is only one
     * @param disk folder for disk tiers; absent: from the environment
     * @param roots a folder for each tier, in the manifest's order, that whoever started this process has sized; empty: found here
     * @param control folder that a restart finds again; absent: beside the first tier
     * @param logs where runners write what commands print, which is where the commands are; absent: in control
     */
    public record Wish(
            String worker, Optional<Path> disk, List<Path> roots, Optional<Path> control, Optional<Path> logs) {
        public Wish {
            roots = List.copyOf(roots);
        }

        /** The only worker of its job on this machine. */
        static Wish local(Optional<Path> disk) {
            return new Wish("", disk, List.of(), Optional.empty(), Optional.empty());
        }
    }

    /** @throws RunRefused 64: the wish does not fit the manifest; 75: this machine has no room for any tier */
    public static BufferPlace of(Job job, Wish wish, Map<String, String> environment) throws IOException, RunRefused {
        requireFolder(wish.disk());
        var notes = new ArrayList<String>();
        var tiers = wish.roots().isEmpty()
                ? found(job, tokenOf(job, wish.worker()), wish.disk(), environment, notes)
                : given(job, wish.roots());
        if (tiers.isEmpty()) {
            throw new RunRefused(
                    75,
                    "no tier of the buffer can be had on this machine now: " + String.join("; ", notes)
                            + ". Free memory, or add a Disk tier.");
        }
        var control = wish.control()
                .map(Path::toAbsolutePath)
                .orElse(Path.of(tiers.getFirst().root() + CONTROL));
        var logs = wish.logs().map(Path::toAbsolutePath).orElse(control.resolve("logs"));
        return new BufferPlace(tokenOf(job), wish.worker(), control, logs, tiers, notes);
    }

    private static void requireFolder(Optional<Path> disk) throws RunRefused {
        if (disk.isPresent() && !Files.isDirectory(disk.get())) {
            throw new RunRefused(64, "--disk is " + disk.get() + ", which is no folder. Make it, or name another one");
        }
    }

    private static String textOf(Job job) {
        return job.namespace() + "/" + job.name() + "/" + job.records();
    }

    /** Part of the names of all folders of the only worker of its job on this machine. */
    static String tokenOf(Job job) {
        return token(textOf(job));
    }

    /** As above, of the worker of that name; empty: the only one. */
    static String tokenOf(Job job, String worker) {
        return worker.isEmpty() ? tokenOf(job) : token(textOf(job) + "/" + worker);
    }

    private static List<TierConfig> given(Job job, List<Path> roots) throws RunRefused {
        var declared = job.buffer().tiers();
        if (declared.size() != roots.size()) {
            throw new RunRefused(
                    64,
                    "--tier names " + roots.size() + " folder" + (roots.size() == 1 ? "" : "s") + ", the manifest has "
                            + declared.size()
                            + " tiers (spec.buffer.tiers): name one for each, in that order, or none");
        }
        var tiers = new ArrayList<TierConfig>();
        for (int i = 0; i < roots.size(); i++) {
            tiers.add(new TierConfig(
                    declared.get(i).medium(),
                    roots.get(i).toAbsolutePath().normalize().toString(),
                    declared.get(i).size()));
        }
        return tiers;
    }

    /** Folders where buffers lie, if they are found here. */
    static Set<String> bases(Optional<Path> disk, Map<String, String> environment) throws IOException {
        return new LinkedHashSet<>(
                List.of(BufferRoots.memoryBase(), BufferRoots.diskBase(withDisk(disk, environment))));
    }

    private static Map<String, String> withDisk(Optional<Path> disk, Map<String, String> environment) {
        var env = new HashMap<>(environment);
        disk.ifPresent(d -> env.put("FOREBAY_DISK", d.toAbsolutePath().toString()));
        return env;
    }

    private static List<TierConfig> found(
            Job job, String token, Optional<Path> disk, Map<String, String> environment, List<String> notes)
            throws IOException {
        var env = withDisk(disk, environment);
        var tiers = new ArrayList<TierConfig>();
        for (int i = 0; i < job.buffer().tiers().size(); i++) {
            var tier = job.buffer().tiers().get(i);
            var name = token + "-" + i;
            if (tier.medium() != Medium.MEMORY) {
                tiers.add(new TierConfig(Medium.DISK, BufferRoots.disk(env, job.name(), name), tier.size()));
                continue;
            }
            var root = BufferRoots.memory(job.name(), name);
            var most = BufferRoots.mostMemory(root);
            var wanted = most.compareTo(tier.size()) < 0 ? most : tier.size();
            var obstacle = BufferRoots.noMemory(root, wanted);
            if (obstacle.isPresent() && wanted.compareTo(TierConfig.MIN_SIZE) >= 0) {
                var instead = BufferRoots.disk(env, job.name(), name);
                notes.add("memory tier " + i + " lies on disk, in " + instead + ": " + obstacle.get());
                tiers.add(new TierConfig(Medium.DISK, instead, tier.size()));
                continue;
            }
            if (most.compareTo(tier.size()) >= 0) {
                tiers.add(new TierConfig(Medium.MEMORY, root, tier.size()));
            } else if (most.compareTo(TierConfig.MIN_SIZE) >= 0) {
                notes.add("memory tier " + i + " cut from " + tier.size().human() + " to " + most.human()
                        + ": half of the memory that is available here");
                tiers.add(new TierConfig(Medium.MEMORY, root, most));
            } else {
                notes.add("memory tier " + i + " left out: only " + most.human() + " of memory may be used here");
            }
        }
        return tiers;
    }

    /** All folders of the tiers, for people. */
    public String where() {
        return String.join(", ", tiers.stream().map(TierConfig::root).toList());
    }

    private static String token(String text) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_16BE));
            return HexFormat.of().formatHex(hash, 0, TOKEN_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Folders that commands see nothing of but their own item's. Landlock can close a folder only where the command needs no right to make files
     * beside it (Linux Documentation/userspace-api/landlock.rst: rules only ever add); that leaves out what everybody writes to.
     *
     * @return tiers and control; empty: they lie where they cannot be closed
     */
    List<String> fences(Map<String, String> environment) {
        var open = List.of("/dev/shm", "/tmp", "/var/tmp", environment.getOrDefault("HOME", "/root"));
        var all = new ArrayList<String>();
        tiers.forEach(tier -> all.add(tier.root()));
        all.add(control.toString());
        var closable = all.stream().noneMatch(folder -> open.stream().anyMatch(o -> folder.startsWith(o + "/")));
        return closable ? List.copyOf(all) : List.of();
    }
}
