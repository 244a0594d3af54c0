package io.forebay.bench.peer;

import io.forebay.bench.measure.Command;
import io.forebay.bench.server.S3Server;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The programs at hand, and their command lines for one kind of work each, tuned as their manuals advise for many cores or many files.
 *
 * @param root the checkout with {@code ./forebay}
 * @param cache what {@code bench/peers} filled
 */
public record Programs(Path root, Path cache) {
    private static final String PREFIX = "s3://" + S3Server.BUCKET + "/";

    /**
     * How to reach an S3 server, and for what.
     *
     * @param many small objects, not one large
     * @param aws whether aws takes part: with many objects it takes a minute
     */
    public record Link(URI endpoint, boolean many, boolean aws) {}

    public Path versitygw() {
        return cache.resolve("bin/versitygw");
    }

    public Path rclone() {
        return cache.resolve("bin/rclone");
    }

    public Path s5cmd() {
        return cache.resolve("bin/s5cmd");
    }

    private Path aws() {
        return cache.resolve("aws/bin/aws");
    }

    /** One that bench/peers compiles from our own sources. */
    public Path built(String name) {
        return cache.resolve("bin").resolve(name);
    }

    private Path python() {
        return cache.resolve("fs/bin/python");
    }

    /** Name to version, of those that are there. */
    public Map<String, String> versions() throws IOException, InterruptedException {
        var all = new LinkedHashMap<String, String>();
        var asked = new LinkedHashMap<String, List<String>>();
        asked.put("forebay", List.of(forebayProgram(), "--version"));
        asked.put("rclone", List.of(rclone().toString(), "version"));
        asked.put("s5cmd", List.of(s5cmd().toString(), "version"));
        asked.put("aws", List.of(aws().toString(), "--version"));
        asked.put("versitygw", List.of(versitygw().toString(), "--version"));
        asked.put(
                "s3fs",
                List.of(
                        python().toString(),
                        "-c",
                        "import s3fs, fsspec; print(s3fs.__version__, 'fsspec', fsspec.__version__)"));
        asked.put("cp", List.of("/usr/bin/cp", "--version"));
        asked.put("rsync", List.of("/usr/bin/rsync", "--version"));
        asked.put("xargs", List.of("/usr/bin/xargs", "--version"));
        asked.put("parallel", List.of("/usr/bin/parallel", "--version"));
        for (var entry : asked.entrySet()) {
            if (Files.isExecutable(Path.of(entry.getValue().getFirst()))) {
                var said = new Command(entry.getValue(), Map.of()).output();
                all.put(entry.getKey(), said.lines().findFirst().orElse("?"));
            }
        }
        return all;
    }

    private String forebayProgram() {
        return root.resolve("forebay").toString();
    }

    /** {@code ./forebay ARGS}. */
    public Contender forebay(String... args) {
        var argv = new ArrayList<>(List.of(forebayProgram()));
        argv.addAll(List.of(args));
        return Contender.forebay(new Command(argv, S3Server.environment()));
    }

    private static Command s3(List<String> argv) {
        return new Command(argv, S3Server.environment());
    }

    private Command rclone(URI endpoint, List<String> args) {
        var environment = new HashMap<>(S3Server.environment());
        environment.put("RCLONE_S3_PROVIDER", "Other");
        environment.put("RCLONE_S3_ENDPOINT", endpoint.toString());
        environment.put("RCLONE_S3_ENV_AUTH", "true");
        environment.put("RCLONE_S3_FORCE_PATH_STYLE", "true");
        environment.put("RCLONE_S3_LIST_VERSION", "2");
        environment.put("RCLONE_CONFIG", "/dev/null");
        var argv = new ArrayList<>(List.of(rclone().toString()));
        argv.addAll(args);
        return new Command(argv, environment);
    }

    private Command rcloneCopy(URI endpoint, String from, String to) {
        // The target is empty, but a server may remember for a second what was there before.
        return rclone(endpoint, List.of("copy", "--transfers", "32", "--checkers", "32", "--ignore-times", from, to));
    }

    private static Optional<Contender> ifThere(Path program, Contender contender) {
        return Files.isExecutable(program) ? Optional.of(contender) : Optional.empty();
    }

    /** Everything below a prefix into a folder; Forebay first. */
    public List<Contender> stageIn(Link link, String prefix, Path folder) {
        var all = new ArrayList<Contender>();
        var endpoint = link.endpoint().toString();
        all.add(forebay(
                "stage-in", PREFIX + prefix + "/", folder.toString(), "--endpoint", endpoint, "--region", "us-east-1"));
        ifThere(
                        s5cmd(),
                        Contender.peer(
                                "s5cmd",
                                s3(List.of(
                                        s5cmd().toString(),
                                        "--endpoint-url",
                                        endpoint,
                                        "--numworkers",
                                        "64",
                                        "--log",
                                        "error",
                                        "cp",
                                        "--concurrency",
                                        "8",
                                        PREFIX + prefix + "/*",
                                        folder + "/"))))
                .ifPresent(all::add);
        ifThere(
                        rclone(),
                        Contender.peer(
                                "rclone",
                                rcloneCopy(
                                        link.endpoint(), ":s3:" + S3Server.BUCKET + "/" + prefix, folder.toString())))
                .ifPresent(all::add);
        aws(link, PREFIX + prefix, folder.toString()).ifPresent(all::add);
        return all;
    }

    /** Every file of a folder below a prefix; Forebay first. */
    public List<Contender> flush(Link link, Path folder, String prefix) {
        var all = new ArrayList<Contender>();
        var endpoint = link.endpoint().toString();
        all.add(forebay(
                "flush", folder.toString(), PREFIX + prefix + "/", "--endpoint", endpoint, "--region", "us-east-1"));
        ifThere(s5cmd(), Contender.peer("s5cmd", upload(link.endpoint(), folder, prefix)))
                .ifPresent(all::add);
        ifThere(
                        rclone(),
                        Contender.peer(
                                "rclone",
                                rcloneCopy(
                                        link.endpoint(), folder.toString(), ":s3:" + S3Server.BUCKET + "/" + prefix)))
                .ifPresent(all::add);
        aws(link, folder.toString(), PREFIX + prefix).ifPresent(all::add);
        return all;
    }

    private Optional<Contender> aws(Link link, String from, String to) {
        if (!link.aws()) {
            return Optional.empty();
        }
        var command = s3(List.of(
                aws().toString(),
                "--endpoint-url",
                link.endpoint().toString(),
                "s3",
                "cp",
                "--recursive",
                "--only-show-errors",
                from,
                to));
        return ifThere(aws(), link.many() ? Contender.slow("aws", command) : Contender.peer("aws", command));
    }

    /** How the objects of a benchmark come to be: by a peer, so that they carry nothing that only Forebay understands. */
    public Command upload(URI endpoint, Path folder, String prefix) {
        return s3(List.of(
                s5cmd().toString(),
                "--endpoint-url",
                endpoint.toString(),
                "--numworkers",
                "64",
                "--log",
                "error",
                "cp",
                "--concurrency",
                "8",
                folder + "/",
                PREFIX + prefix + "/"));
    }

    /** The one file of a folder to a folder on another file system. @param durable the copy is fsynced */
    public List<Contender> copy(Path from, String name, Path folder, boolean durable) {
        var all = new ArrayList<Contender>();
        var file = from.resolve(name);
        var target = folder.resolve(name).toString();
        all.add(
                durable
                        ? forebay("flush", from.toString(), folder.toString())
                        : forebay("stage-in", from + "/", folder.toString()));
        var cp = durable
                ? List.of("sh", "-c", "cp \"$1\" \"$2\" && sync \"$2\"", "sh", file.toString(), target)
                : List.of("cp", file.toString(), target);
        all.add(Contender.peer(durable ? "cp and sync" : "cp", new Command(cp, Map.of())));
        var rsync = Path.of("/usr/bin/rsync");
        ifThere(rsync, Contender.peer("rsync", new Command(rsync(durable, file.toString(), target), Map.of())))
                .ifPresent(all::add);
        return all;
    }

    private static List<String> rsync(boolean durable, String from, String to) {
        return durable
                ? List.of("rsync", "-a", "--whole-file", "--fsync", from, to)
                : List.of("rsync", "-a", "--whole-file", from, to);
    }

    /** Many small files, each durable at its end. */
    public List<Contender> flushFiles(Path from, Path to) {
        return List.of(
                forebay("flush", from.toString(), to.toString()),
                Contender.peer("rsync --fsync", new Command(rsync(true, from + "/", to + "/"), Map.of())));
    }

    /** The bucket of all benchmarks, as a URI without an end. */
    public String bucket() {
        return "s3://" + S3Server.BUCKET;
    }

    /** Everything below a prefix, a line each; Forebay, which says how many there are, plans an item for each. */
    public List<Contender> list(URI endpoint, String prefix, Path job) {
        var all = new ArrayList<Contender>();
        all.add(forebay("plan", "--summary", job.toString()));
        ifThere(
                        s5cmd(),
                        Contender.peer(
                                "s5cmd",
                                s3(List.of(
                                        s5cmd().toString(),
                                        "--endpoint-url",
                                        endpoint.toString(),
                                        "ls",
                                        PREFIX + prefix + "*"))))
                .ifPresent(all::add);
        ifThere(
                        rclone(),
                        Contender.peer(
                                "rclone", rclone(endpoint, List.of("lsf", ":s3:" + S3Server.BUCKET + "/" + prefix))))
                .ifPresent(all::add);
        return all;
    }

    /** Reads the objects below a prefix in order, and sleeps after each ({@code bench/programs/sequential.py}). */
    public Contender sequential(String name, URI endpoint, String prefix, Path result, String seconds) {
        return Contender.peer(
                name,
                s3(List.of(
                        python().toString(),
                        root.resolve("bench/programs/sequential.py").toString(),
                        endpoint.toString(),
                        S3Server.BUCKET + "/" + prefix,
                        result.toString(),
                        seconds)));
    }

    /** A worker's process until it serves steps; what it leaves in the folder is described in {@code bench/programs/serving.sh}. */
    public Contender serving(Path job, Path folder) {
        return Contender.forebay(new Command(
                List.of(
                        "sh",
                        root.resolve("bench/programs/serving.sh").toString(),
                        forebayProgram(),
                        job.toString(),
                        folder.toString()),
                Map.of()));
    }
}
