package io.forebay.sidecar.cli;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.job.Job.Verify;
import io.forebay.api.name.Printable;
import io.forebay.api.schema.Syntax;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.Endpoints;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.local.Copies;
import io.forebay.sidecar.local.JobStores;
import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay stage-in} and {@code forebay flush}: single transfers, for scripts. */
final class CopyCommand {
    private CopyCommand() {}

    /** How to reach the store, where the environment does not say it. */
    static final class StoreOptions {
        @Option(
                names = "--endpoint",
                paramLabel = "URL",
                description = "S3 endpoint (default: AWS, or what the AWS environment says)")
        @Nullable
        String endpoint;

        @Option(names = "--region", paramLabel = "NAME", description = "S3 region")
        @Nullable
        String region;

        @Option(names = "--profile", paramLabel = "NAME", description = "profile of the user's AWS files")
        @Nullable
        String profile;

        @Option(names = "--anonymous", description = "no credentials: a public bucket")
        boolean anonymous;

        @Option(
                names = "--include",
                paramLabel = "GLOB",
                description =
                        "only files whose relative path matches: * within a folder, ** across folders; may be repeated (default: all)")
        List<String> include = List.of();

        /** @throws CliException 64: the store has no such options, or they are wrong */
        List<StoreAccess> access(StoreUri uri) throws CliException {
            if (uri.scheme().isPosix()) {
                requireNone(uri);
                return List.of();
            }
            if (endpoint != null) {
                requireEndpoint(endpoint);
            }
            return List.of(new StoreAccess(
                    new StoreUri(uri.scheme(), uri.authority(), ""),
                    endpoint,
                    region,
                    profile,
                    null,
                    anonymous,
                    Optional.empty(),
                    null,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()));
        }

        private static void requireEndpoint(String text) throws CliException {
            var fault = Syntax.ENDPOINT.fault(text);
            try {
                Endpoints.parse(text);
            } catch (IllegalArgumentException e) {
                fault = fault.or(() -> Optional.of(String.valueOf(e.getMessage())));
            }
            if (fault.isPresent()) {
                throw new CliException(ForebayCommand.USAGE, "--endpoint: " + fault.get());
            }
        }

        /** Who names a server and no bucket has mistyped the URI: what was to go there would go into a local folder. */
        private void requireNone(StoreUri uri) throws CliException {
            var given = new ArrayList<String>();
            if (endpoint != null) {
                given.add("--endpoint");
            }
            if (region != null) {
                given.add("--region");
            }
            if (profile != null) {
                given.add("--profile");
            }
            if (anonymous) {
                given.add("--anonymous");
            }
            if (!given.isEmpty()) {
                throw new CliException(
                        ForebayCommand.USAGE,
                        String.join(", ", given) + (given.size() == 1 ? " is" : " are") + " for S3, but " + uri
                                + " is no s3:// URI");
            }
        }

        List<Glob> globs() throws CliException {
            try {
                return include.stream().map(Glob::new).toList();
            } catch (IllegalArgumentException e) {
                throw new CliException(ForebayCommand.USAGE, "--include: " + e.getMessage());
            }
        }
    }

    /** One copy. */
    @FunctionalInterface
    private interface Work {
        Copies.Report of(Copies copies) throws CliException, StoreException, IOException, InterruptedException;
    }

    /** Carries it to its end, or until a signal ends it. @param target where something of it may lie. @return the exit code */
    private static int carried(
            CommandSpec spec, JobStores stores, String target, String what, int failureCode, Work work)
            throws CliException, StoreException, IOException, InterruptedException {
        stores.telling(spec.commandLine().getErr()::println);
        var copies = new Copies(stores, spec.commandLine().getErr()::println);
        try (var signals = Signals.catching(spec.commandLine().getErr()::println, EndListener.NOBODY)) {
            signals.cancels(new CopyCancel(Thread.currentThread(), target, signals::exitCode));
            try {
                return end(spec, work.of(copies), what, failureCode);
            } catch (InterruptedException e) {
                if (signals.exitCode() == 0) {
                    throw e;
                }
                end(spec, copies.report(), "cancelled; " + what + " by then", failureCode);
                return signals.exitCode();
            }
        }
    }

    /** What was to be written is not there: as for any other destination that is full. */
    private static final int NO_SPACE = 74;

    private static int end(CommandSpec spec, Copies.Report report, String what, int failureCode) {
        report.problems().forEach(p -> spec.commandLine().getErr().println("failed: " + Printable.message(p)));
        spec.commandLine()
                .getOut()
                .println("%s: %s, %s; %d failed"
                        .formatted(
                                what,
                                report.files() + (report.files() == 1 ? " file" : " files"),
                                Bytes.of(report.bytes()).human(),
                                report.failed()));
        return report.full() ? NO_SPACE : report.failed() > 0 ? failureCode : 0;
    }

    /** Store to local folder. */
    @Command(
            name = "stage-in",
            mixinStandardHelpOptions = true,
            footer = ForebayCommand.SEE_EXIT_CODES,
            description = {
                "Copies files from a store into a local folder, in parallel, each whole and verified; symbolic links stay links.",
                "A SOURCE that ends with a slash is a folder or prefix: what lies below it is put into FOLDER. Without the "
                        + "slash it is one file, or a folder that keeps its name: in/a becomes FOLDER/a from in/, FOLDER/in/a from in. "
                        + "Exits 65 if a file cannot be had, or there is none, 74 if FOLDER has no room."
            })
    static final class StageIn implements java.util.concurrent.Callable<Integer> {
        @Parameters(
                index = "0",
                paramLabel = "SOURCE",
                description = "s3://bucket/prefix/, lustre:///path/, file:///path/ or a path; see above for the slash")
        private String source = "";

        @Parameters(index = "1", paramLabel = "FOLDER", description = "local folder, made if it is missing")
        private String folderText = "";

        @Mixin
        private StoreOptions options = new StoreOptions();

        @Spec
        private CommandSpec spec = CommandSpec.create();

        @Override
        public Integer call() throws CliException, IOException, InterruptedException {
            var uri = CopyEnd.uri(source);
            var folder = CopyEnd.folder(folderText, "to copy into a store: forebay flush");
            var target = folder.toAbsolutePath().normalize().toString();
            var globs = options.globs();
            try (var stores = new JobStores(options.access(uri))) {
                return carried(spec, stores, target, "staged in", 65, copies -> {
                    var report = copies.stageIn(uri, target, globs);
                    if (report.files() == 0 && report.failed() == 0) {
                        throw new CliException(65, nothing(uri, globs));
                    }
                    tellWhere(uri, folder, report);
                    return report;
                });
            } catch (StoreException e) {
                var why = String.valueOf(e.getMessage());
                throw new CliException(
                        e.kind().worthRetrying() ? 75 : 65,
                        why.startsWith("cannot list ") ? why : "cannot list " + uri + ": " + why);
            }
        }

        private String nothing(StoreUri uri, List<Glob> globs) {
            if (globs.isEmpty()) {
                return "nothing to stage in: there is no file " + (uri.isFolder() ? "below " : "at or below ") + uri;
            }
            return "nothing to stage in: " + uri + " has no file that matches --include"
                    + (uri.isFolder()
                            ? ""
                            : "; without a slash at its end the last name of SOURCE is part of what must match ("
                                    + lastName(uri) + "/...): write " + source + "/ to match what lies below it");
        }

        /** Who leaves the slash out may mean either. */
        private void tellWhere(StoreUri uri, Path folder, Copies.Report report) {
            if (!uri.isFolder() && report.files() > 0 && Files.isDirectory(folder.resolve(lastName(uri)))) {
                spec.commandLine()
                        .getErr()
                        .println("note: " + source + " is a folder, and its files are below "
                                + folder.resolve(lastName(uri)) + "; with " + source + "/ they would be in " + folder
                                + " itself");
            }
        }

        private static String lastName(StoreUri uri) {
            return uri.path().substring(uri.path().lastIndexOf('/') + 1);
        }
    }

    /** Local folder to store. */
    @Command(
            name = "flush",
            mixinStandardHelpOptions = true,
            footer = ForebayCommand.SEE_EXIT_CODES,
            description = {
                "Makes every file below a local folder durable below DESTINATION, under its path below the folder (with or without a slash at the end): whole at its final name, verified, or not there.",
                "Exits 74 and names what is not; 65 if FOLDER is missing, or has files and --include matches none of them. An empty FOLDER is flushed: 0."
            })
    static final class Flush implements java.util.concurrent.Callable<Integer> {
        @Parameters(index = "0", paramLabel = "FOLDER", description = "local folder")
        private String folderText = "";

        @Parameters(
                index = "1",
                paramLabel = "DESTINATION",
                description = "s3://bucket/prefix/, lustre:///path/, file:///path/ or a path")
        private String destination = "";

        @Option(
                names = "--read-back",
                description =
                        "read each file back from the destination and compare it (as verify: ReadBack of a job's outputs)")
        private boolean readBack;

        @Mixin
        private StoreOptions options = new StoreOptions();

        @Spec
        private CommandSpec spec = CommandSpec.create();

        @Override
        public Integer call() throws CliException, IOException, InterruptedException {
            var folder = CopyEnd.folder(folderText, "to copy from a store: forebay stage-in");
            var uri = CopyEnd.uri(destination);
            var globs = options.globs();
            try (var stores = new JobStores(options.access(uri))) {
                if (!Files.isDirectory(folder)) {
                    throw new CliException(
                            65,
                            Files.exists(folder)
                                    ? folder
                                            + " is no folder; name the folder that holds the file, and the file with --include"
                                    : "there is no folder " + folder);
                }
                var from = folder.toAbsolutePath().normalize().toString();
                return carried(spec, stores, uri.toString(), "flushed", 74, copies -> {
                    var report = copies.flush(from, uri, globs, readBack ? Verify.READ_BACK : Verify.STORE);
                    if (report.files() == 0 && report.failed() == 0) {
                        if (report.passedOver() > 0) {
                            // A pattern that was mistyped: a script would take what it names for durable.
                            throw new CliException(
                                    65,
                                    "nothing to flush: of " + report.passedOver() + " files below " + folder
                                            + " none matches --include "
                                            + String.join(" ", options.include));
                        }
                        spec.commandLine().getErr().println("nothing to flush: " + folder + " has no file");
                    }
                    return report;
                });
            } catch (StoreException e) {
                throw new CliException(74, "cannot flush to " + uri + ": " + e.getMessage());
            }
        }
    }
}
