package io.forebay.sidecar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Commands are found by their names alone, so that a start looks at no other. */
@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class ForebayCommandTest {
    @Test
    @DisplayName("each command is listed under the name that it has, and answers to it")
    void namesAreRight() {
        var help = Said.of("--help");
        assertThat(help.exit()).isZero();
        ForebayCommand.COMMANDS.forEach((name, type) -> {
            assertThat(new CommandLine(type).getCommandName()).isEqualTo(name);
            assertThat(help.text()).contains("\n  " + name + " ");
            var own = Said.of(name, "--help");
            assertThat(own.exit()).as(name).isZero();
            assertThat(own.text()).contains("Usage: forebay " + name);
            assertThat(own.text())
                    .as("each value has a name that says something")
                    .doesNotContain("=<");
            assertThat(Said.of(name, "--version").text())
                    .as(name)
                    .matches(v -> name.equals("help") || v.startsWith("forebay "));
            assertThat(Said.of("help", name).text()).contains("Usage: forebay " + name);
        });
    }

    @Test
    @DisplayName("what is no command is refused with what may have been meant")
    void unknownCommand() {
        var said = Said.of("rum", "job.yaml");
        assertThat(said.exit()).isEqualTo(64);
        assertThat(said.text()).contains("rum").contains("run").contains("forebay --help");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "plan", "resume", "status", "verify", "validate"})
    @DisplayName("K9 a manifest that is a device is refused with its name by every command")
    void noRegularFile(String command) {
        var said = Said.of(command, "/dev/zero");
        assertThat(said.exit()).isEqualTo(64);
        assertThat(said.text()).contains("/dev/zero: it is no regular file");
    }

    @Test
    @DisplayName("the version is told, alone or beside other options; without arguments the usage is")
    void versionAndUsage() {
        for (var option : List.of("--version", "-V")) {
            assertThat(Said.of(option)).satisfies(said -> {
                assertThat(said.exit()).isZero();
                assertThat(said.text()).startsWith("forebay ");
            });
        }
        assertThat(Said.of().text()).contains("Usage: forebay").contains("stage-in");
    }
}
