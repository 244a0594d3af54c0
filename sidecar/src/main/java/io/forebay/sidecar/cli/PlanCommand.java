package io.forebay.sidecar.cli;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.forebay.api.job.Job;
import io.forebay.api.name.Printable;
import io.forebay.api.value.Bytes;
import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.coordinator.CoordinatorOptions;
import io.forebay.sidecar.local.JobStores;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.plan.Plan;
import io.forebay.sidecar.plan.PlanItem;
import io.forebay.sidecar.plan.Planner;
import io.forebay.sidecar.records.StoreRetry;
import io.forebay.sidecar.step.StepVariables;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay plan}: what would happen to every file. Lists the inputs, starts nothing, writes nothing to any store. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        footer = ForebayCommand.SEE_EXIT_CODES,
        description = {
            "Shows what a run would do: each item with its input files and sizes, what is shared, what is left out, and where outputs go.",
            "Starts nothing. Exits 65 if a selected file can be no input."
        })
final class PlanCommand implements Callable<Integer> {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    @Parameters(index = "0", paramLabel = "JOB", description = Manifests.DESCRIPTION)
    private String manifest = "";

    @Option(names = "--summary", description = "totals and warnings only, no line per file")
    private boolean summary;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text or json (a line per item) (default: ${DEFAULT-VALUE})")
    private OutputFormat output = OutputFormat.text;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CliException, IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var err = spec.commandLine().getErr();
        var job = Manifests.read(manifest, err);
        try (var scratch = new Scratch();
                var stores = new JobStores(job.stores());
                var plan = new Planner(
                                job,
                                stores.stores(),
                                StoreRetry.patient(CoordinatorOptions.PATIENCE),
                                scratch.folder(),
                                line -> {
                                    err.println(line);
                                    err.flush();
                                })
                        .plan()) {
            if (output == OutputFormat.json) {
                json(plan, job, out);
            } else {
                text(plan, job, out);
            }
            out.flush();
            return plan.totals().unusable() > 0 ? 65 : 0;
        } catch (CoordinatorException e) {
            throw new CliException(e.code().number(), String.valueOf(e.getMessage()));
        }
    }

    private void text(Plan plan, Job job, PrintWriter out) {
        var totals = plan.totals();
        if (!summary) {
            for (var shared : plan.shared()) {
                out.println("shared " + shared.input() + "  " + file(shared) + "  staged once per worker");
            }
            for (int i = 0; i < plan.size(); i++) {
                item(plan.item(i), job, out);
            }
        }
        for (var left : plan.leftOut()) {
            out.println((left.unusable() ? "unusable " : "left out ") + left.input() + "  " + Printable.name(left.key())
                    + "  " + Printable.message(left.why()));
        }
        totals.warnings().forEach(w -> out.println("warning: " + Printable.message(w)));
        out.println("%d items, %d files, %s; %d shared files, %s; %d left out, %d unusable"
                .formatted(
                        totals.items(),
                        totals.files(),
                        Bytes.of(totals.bytes()).human(),
                        totals.sharedFiles(),
                        Bytes.of(totals.sharedBytes()).human(),
                        totals.outsideGroups(),
                        totals.unusable()));
        for (int t = 0; t < job.buffer().tiers().size(); t++) {
            var tier = job.buffer().tiers().get(t);
            out.println("tier " + t + ": " + tier.medium() + " " + tier.size().human());
        }
        out.println("records: " + job.records().resolve(job.name() + "/"));
    }

    private static String file(ItemInput input) {
        return Printable.name(input.uri()) + "  "
                + Bytes.of(Math.max(0, input.size())).human();
    }

    private static void item(PlanItem item, Job job, PrintWriter out) {
        out.println("item " + Printable.name(item.key()));
        item.inputs().forEach(input -> out.println("  in   " + file(input)));
        destinations(item, job).forEach((name, to) -> out.println("  out  " + name + " -> " + Printable.name(to)));
    }

    private static LinkedHashMap<String, String> destinations(PlanItem item, Job job) {
        var variables = StepVariables.ofKey(job, item.key());
        var to = new LinkedHashMap<String, String>();
        for (var output : job.outputs()) {
            to.put(
                    output.name(),
                    output.destination(variables) + output.pathGlob(variables).pattern());
        }
        return to;
    }

    private static void json(Plan plan, Job job, PrintWriter out) throws IOException {
        for (int i = 0; i < plan.size(); i++) {
            var item = plan.item(i);
            var line = new LinkedHashMap<String, Object>();
            line.put("item", item.key());
            line.put("inputs", item.inputs().stream().map(PlanCommand::json).toList());
            line.put("outputs", destinations(item, job));
            out.println(JSON.writeValueAsString(line));
        }
        var end = new LinkedHashMap<String, Object>();
        end.put("totals", plan.totals());
        end.put("shared", plan.shared().stream().map(PlanCommand::json).toList());
        end.put("leftOut", List.copyOf(plan.leftOut()));
        out.println(JSON.writeValueAsString(end));
    }

    private static LinkedHashMap<String, Object> json(ItemInput input) {
        var m = new LinkedHashMap<String, Object>();
        m.put("uri", input.uri());
        m.put("size", input.size());
        return m;
    }
}
