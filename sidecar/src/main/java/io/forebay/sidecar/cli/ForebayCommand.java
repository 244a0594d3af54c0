package io.forebay.sidecar.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
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
            "74:an output is not durable (listed in UNEXPORTED.jsonl)",
            "75:passing fault, run again",
            "124:deadline",
            "130/143:cancelled, can be resumed",
            "70:a fault of Forebay's own"
        },
        subcommands = {
            HelpCommand.class,
            RunCommand.class,
            PlanCommand.class,
            ValidateCommand.class,
            StatusCommand.class,
            ResumeCommand.class,
            VerifyCommand.class,
            CoordinatorCommand.class,
            BufferCommand.class,
            CopyCommand.StageIn.class,
            CopyCommand.Flush.class,
            AutoComplete.GenerateCompletion.class
        })
public final class ForebayCommand implements Runnable {
    /** EX_USAGE of sysexits.h. */
    static final int USAGE = 64;
    /** EX_SOFTWARE of sysexits.h. */
    static final int OWN_FAULT = 70;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** @return the exit code */
    public static int execute(String... args) {
        var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        return new CommandLine(new ForebayCommand())
                .setOut(out)
                .setErr(err)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(ForebayCommand::refuse)
                .setExecutionExceptionHandler(ForebayCommand::ownFault)
                .execute(args);
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
