package io.forebay.sidecar.cli;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.forebay.api.name.Printable;
import io.forebay.api.value.Bytes;
import io.forebay.sidecar.coordinator.JobRecords;
import io.forebay.sidecar.local.JobStores;
import io.forebay.sidecar.records.Claim;
import io.forebay.sidecar.records.ProcessIdentity;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay status}: where a job is, from its records alone. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        footer = ForebayCommand.SEE_EXIT_CODES,
        description = {
            "Where a job is, read from its records: also while it runs, also on another machine.",
            "Exits with the code of the last run; 75 if it runs still, was cut off, or has items that forebay verify --redo "
                    + "wants done again."
        })
final class StatusCommand implements Callable<Integer> {
    private static final int NOT_ENDED = 75;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    @Parameters(index = "0", paramLabel = "JOB", description = Manifests.DESCRIPTION)
    private String manifest = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text or json (default: ${DEFAULT-VALUE})")
    private OutputFormat output = OutputFormat.text;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CliException, IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var job = Manifests.read(manifest, spec.commandLine().getErr());
        try (var scratch = new Scratch();
                var stores = new JobStores(job.stores())) {
            var status = JobRecords.of(job.records(), job.name(), stores.stores(), scratch.folder())
                    .status();
            if (status.coordinator().isEmpty()) {
                throw NoRecords.of(job);
            }
            if (output == OutputFormat.json) {
                out.println(JSON.writeValueAsString(json(job.name(), status)));
            } else {
                text(job.name(), status, out);
            }
            out.flush();
            return status.revoked() > 0 ? NOT_ENDED : status.exitCode().orElse(NOT_ENDED);
        } catch (StoreException e) {
            throw new CliException(NOT_ENDED, "cannot read the records of " + job.name() + ": " + e.getMessage());
        } catch (RecordsDamagedException e) {
            throw new CliException(NOT_ENDED, String.valueOf(e.getMessage()));
        }
    }

    /** Whether the process that the records name lives; empty: it cannot be told from here. */
    private static Optional<Boolean> alive(JobRecords.Status s) {
        return s.coordinator().flatMap(ProcessIdentity.ofThisProcess()::seesAlive);
    }

    private static String state(JobRecords.Status s) {
        if (s.exitCode().isPresent()) {
            return "ended, exit " + s.exitCode().get();
        }
        var process = "process " + s.coordinator().map(Claim::pid).orElse(0L) + " on this machine";
        return alive(s).map(alive -> alive
                        ? (s.items() == 0 ? "being planned" : "running") + " (" + process + ")"
                        : "cut off" + (s.items() == 0 ? " in planning" : "") + ": " + process
                                + " has ended before the job did; the same command goes on where it was")
                .orElse(s.items() == 0 ? "being planned, or cut off in that" : "running, or cut off");
    }

    private static void text(String name, JobRecords.Status s, PrintWriter out) {
        out.println(name + ": " + state(s) + (s.cause().isEmpty() ? "" : " (" + Printable.message(s.cause()) + ")"));
        out.println("started " + Instant.ofEpochMilli(s.startedAt()) + " on "
                + s.coordinator().map(c -> c.host() + ", process " + c.pid()).orElse("?"));
        out.println(s.done() + " of " + s.items() + " items done, " + s.failed() + " failed, " + s.unfinished()
                + " unfinished; " + s.files() + (s.files() == 1 ? " file, " : " files, ")
                + Bytes.of(s.bytes()).human());
        s.failures()
                .forEach(f -> out.println("failed: " + Printable.name(f.key()) + ": " + f.reason() + ": "
                        + Printable.message(f.message())));
        if (s.leftOut() + s.unusable() > 0) {
            out.println(
                    s.leftOut() + (s.leftOut() == 1 ? " file" : " files") + " left out, " + s.unusable() + " unusable");
        }
        if (s.revoked() > 0) {
            out.println(s.revoked()
                    + " items were found damaged by forebay verify --redo since; forebay resume does them again");
        }
        out.println(s.unexported() + (s.unexported() == 1 ? " output" : " outputs") + " not exported, "
                + Bytes.of(s.unexportedBytes()).human()
                + (s.unexportedByList() ? ", as UNEXPORTED.jsonl in the records says, when it was last written" : ""));
    }

    private static LinkedHashMap<String, Object> json(String name, JobRecords.Status s) {
        var m = new LinkedHashMap<String, Object>();
        m.put("job", name);
        m.put("ended", s.exitCode().isPresent());
        m.put("alive", s.exitCode().isPresent() ? null : alive(s).orElse(null));
        m.put("exitCode", s.exitCode().orElse(null));
        m.put("cause", s.cause());
        m.put("startedAt", Instant.ofEpochMilli(s.startedAt()).toString());
        m.put("items", s.items());
        m.put("done", s.done());
        m.put("failed", s.failed());
        m.put("unfinished", s.unfinished());
        m.put("files", s.files());
        m.put("bytes", s.bytes());
        m.put("leftOut", s.leftOut());
        m.put("unusable", s.unusable());
        m.put("failedByReason", s.failedByReason());
        m.put("revoked", s.revoked());
        m.put("unexported", s.unexported());
        m.put("unexportedBytes", s.unexportedBytes());
        m.put("unexportedByList", s.unexportedByList());
        return m;
    }
}
