package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Medium;
import io.forebay.sidecar.buffer.BufferRoots;
import io.forebay.sidecar.buffer.TierConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where a job's buffer lies on this machine. The names follow from user, job and records folder alone, so that the next run of the
 * same job finds what a killed one left.
 *
 * @param jobToken 8 characters of [0-9a-f], the same for the same job
 * @param control journal, socket, token, logs: beside the first tier, so that it lives exactly as long as the data it tells of
 * @param tiers as the manifest orders them, memory cut to what this machine can give
 * @param notes what was cut, for the user
 */
record LocalFolders(String jobToken, Path control, List<TierConfig> tiers, List<String> notes) {
    private static final int TOKEN_BYTES = 4;

    /** @param disk folder for disk tiers; absent: from the environment */
    static LocalFolders of(Job job, Optional<Path> disk, Map<String, String> environment)
            throws IOException, RunRefused {
        var token = token(job.namespace() + "/" + job.name() + "/" + job.records());
        var env = new HashMap<>(environment);
        disk.ifPresent(d -> env.put("FOREBAY_DISK", d.toAbsolutePath().toString()));
        var tiers = new ArrayList<TierConfig>();
        var notes = new ArrayList<String>();
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
        if (tiers.isEmpty()) {
            throw new RunRefused(
                    75,
                    "no tier of the buffer can be had on this machine now: " + String.join("; ", notes)
                            + ". Free memory, or add a Disk tier.");
        }
        var control = Path.of(tiers.getFirst().root() + "-control");
        return new LocalFolders(token, control, tiers, notes);
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
