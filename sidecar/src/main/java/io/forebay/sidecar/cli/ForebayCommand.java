package io.forebay.sidecar.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root command: only groups the others. */
@Command(
        name = "forebay",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        description =
                "A burst buffer for batch pipelines: brings inputs next to the computation, keeps intermediates there, "
                        + "and writes the selected outputs back while the computation goes on.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all selected outputs are durable",
            "1:a step failed",
            "64:manifest or usage refused",
            "65:an input cannot be had",
            "70:a fault of Forebay's own",
            "74:an output is not durable (listed in UNEXPORTED.jsonl in the records), or no records can be kept",
            "75:passing fault, run again",
            "124:deadline",
            "130/143:cancelled by SIGINT (Ctrl-C) or SIGTERM, can be resumed"
        },
        footer = "%nThe options of a command: forebay COMMAND --help. A first job: examples/increment/job.yaml.")
public final class ForebayCommand implements Runnable {
    /** Of each command's help. */
    static final String SEE_EXIT_CODES = "%nExit codes: forebay --help";

    /** EX_USAGE of sysexits.h. */
    static final int USAGE = 64;
    /** EX_SOFTWARE of sysexits.h. */
    static final int OWN_FAULT = 70;

    /** In the order of the usage text. Which one it is is known before picocli has looked at all of them, which takes half of a short command's time. */
    static final Map<String, Class<?>> COMMANDS = commands();

    private static Map<String, Class<?>> commands() {
        var all = new LinkedHashMap<String, Class<?>>();
        all.put("help", HelpCommand.class);
        all.put("run", RunCommand.class);
        all.put("plan", PlanCommand.class);
        all.put("validate", ValidateCommand.class);
        all.put("status", StatusCommand.class);
        all.put("resume", ResumeCommand.class);
        all.put("verify", VerifyCommand.class);
        all.put("coordinator", CoordinatorCommand.class);
        all.put("buffer", BufferCommand.class);
        all.put("stage-in", CopyCommand.StageIn.class);
        all.put("flush", CopyCommand.Flush.class);
        all.put("generate-completion", AutoComplete.GenerateCompletion.class);
        return all;
    }

    /** The one that is named; all, if what is asked for concerns all of them, or is not understood. */
    private static Collection<Class<?>> needed(String[] args) {
        var first = args.length == 0 ? "" : args[0];
        var named = COMMANDS.get(first);
        if (first.equals("--version") || first.equals("-V")) {
            return List.of();
        }
        return named == null || named == HelpCommand.class || named == AutoComplete.GenerateCompletion.class
                ? COMMANDS.values()
                : List.of(named);
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** @return the exit code */
    public static int execute(String... args) {
        var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        var line = new CommandLine(new ForebayCommand());
        needed(args).forEach(line::addSubcommand);
        line.getSubcommands().values().forEach(c -> c.getCommandSpec().versionProvider(new VersionProvider()));
        int code = line.setOut(out)
                .setErr(err)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(ForebayCommand::refuse)
                .setExecutionExceptionHandler(ForebayCommand::ownFault)
                .execute(args);
        if (code != 0) {
            OpenFiles.hint().ifPresent(hint -> err.println("forebay: " + hint));
        }
        return code;
    }

    private static int refuse(ParameterException e, String[] args) {
        var err = e.getCommandLine().getErr();
        err.println("forebay: " + e.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(e, err);
        err.println("Try '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
        return USAGE;
    }

    private static int ownFault(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
        if (e instanceof CliException refused) {
            command.getErr().println("forebay: " + refused.getMessage());
            return refused.exitCode();
        }
        command.getErr().println("forebay: a fault of Forebay's own: " + e);
        command.getErr().println("Please report it with the output of the same command with FOREBAY_DEBUG=1 set.");
        if (System.getenv("FOREBAY_DEBUG") != null) {
            e.printStackTrace(command.getErr());
        }
        return OWN_FAULT;
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
