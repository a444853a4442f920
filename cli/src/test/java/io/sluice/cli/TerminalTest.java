package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Colours and progress are for people.
class TerminalTest {
    private static final String ESCAPE = "\u001b[";

    @Test
    void screenGetsColours() {
        assertThat(Cli.withoutBroker().onAScreen().run("doctor").out()).contains(ESCAPE);
    }

    @Test
    void pipeGetsNone() {
        assertThat(Cli.withoutBroker().run("doctor").out()).doesNotContain(ESCAPE);
    }

    @Test
    void coloursCanBeDeclined() {
        assertThat(Cli.withoutBroker().onAScreen().with("NO_COLOR", "1").run("doctor").out())
                .doesNotContain(ESCAPE);
        assertThat(Cli.withoutBroker().onAScreen().with("CI", "true").run("doctor").out())
                .doesNotContain(ESCAPE);
        assertThat(Cli.withoutBroker().onAScreen().with("TERM", "dumb").run("doctor").out())
                .doesNotContain(ESCAPE);
        assertThat(Cli.withoutBroker().onAScreen().run("doctor", "--no-color").out())
                .doesNotContain(ESCAPE);
    }

    @Test
    void progressIsShownOnAScreenOnly() {
        var buffer = new ByteArrayOutputStream();
        try (var progress = new Progress(Terminal.print(buffer, true), false)) {
            progress.update("half way");
        }
        assertThat(buffer.size()).isZero();
        try (var progress = new Progress(Terminal.print(buffer, true), true)) {
            progress.update("half way");
        }
        assertThat(buffer.toString(StandardCharsets.UTF_8))
                .contains("half way")
                .as("and wiped away")
                .endsWith("\r" + ESCAPE + "K");
    }

    @Test
    void emptyVariableIsNotSet() {
        assertThat(Cli.withoutBroker().onAScreen().with("NO_COLOR", "").run("doctor").out())
                .contains(ESCAPE);
    }

    @Test
    void quietLeavesOutHintsButNotData() {
        var loud = Cli.withoutBroker().run("doctor");
        var quiet = Cli.withoutBroker().run("doctor", "-q");
        assertThat(loud.err()).contains("./sluice up");
        assertThat(quiet.err()).isEmpty();
        assertThat(quiet.out()).contains("broker");
    }
}
