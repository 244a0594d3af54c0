package io.forebay.sidecar.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.forebay.api.job.JobReader;
import io.forebay.api.manifest.Problem;
import io.forebay.api.name.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay validate}: tells what is wrong with manifests, all of it; touches no data and no store. */
@Command(
        name = "validate",
        mixinStandardHelpOptions = true,
        description = {
            "Checks manifests and tells all that is wrong with them.",
            "Nothing is started, no store is asked."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all are valid", "64:one is not, or cannot be read"})
public final class ValidateCommand implements Callable<Integer> {
    /** DESIGN: manifest or usage refused (EX_USAGE of sysexits.h). */
    private static final int REFUSED = 64;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description =
                    "PipelineJob, YAML or JSON, at most 1 MiB; - reads standard input. file://./x in it means x in the folder of FILE.")
    private List<String> files = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description =
                    "${COMPLETION-CANDIDATES}; text: one line per problem on standard error, one per valid file on standard output."
                            + " Default: ${DEFAULT-VALUE}.")
    private OutputFormat output = OutputFormat.text;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final InputStream standardInput;

    public ValidateCommand() {
        this(System.in);
    }

    ValidateCommand(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    private record Finding(String file, List<Problem> problems) {}

    @Override
    public Integer call() throws IOException {
        var findings = new ArrayList<Finding>();
        for (var file : files) {
            findings.add(new Finding(file, problems(file)));
        }
        var out = spec.commandLine().getOut();
        switch (output) {
            case text -> writeText(findings, out, spec.commandLine().getErr());
            case json -> out.println(json(findings));
        }
        out.flush();
        return findings.stream().allMatch(f -> f.problems().isEmpty()) ? 0 : REFUSED;
    }

    private List<Problem> problems(String file) {
        try {
            var read = ManifestFile.read(file, standardInput);
            return JobReader.read(read.text(), read.folder()).problems();
        } catch (ManifestFile.Refused e) {
            return List.of(new Problem("", "", String.valueOf(e.getMessage())));
        }
    }

    private static void writeText(List<Finding> findings, PrintWriter out, PrintWriter err) {
        for (var finding : findings) {
            for (var problem : finding.problems()) {
                err.println(Manifests.line(finding.file(), problem));
            }
            if (finding.problems().isEmpty()) {
                out.println(Printable.name(finding.file() + ": valid"));
            }
        }
        err.flush();
    }

    private static String json(List<Finding> findings) throws IOException {
        var text = new StringWriter();
        var factory =
                JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
        try (JsonGenerator json = factory.createGenerator(text)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter());
            json.writeStartArray();
            for (var finding : findings) {
                json.writeStartObject();
                json.writeStringField("file", finding.file());
                json.writeBooleanField("valid", finding.problems().isEmpty());
                json.writeArrayFieldStart("problems");
                for (var problem : finding.problems()) {
                    json.writeStartObject();
                    json.writeStringField("field", problem.field());
                    json.writeStringField("value", problem.value());
                    json.writeStringField("message", problem.message());
                    json.writeNumberField("line", problem.line());
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        return text.toString();
    }
}
