package io.sluice.benchmarks.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// What the command says to who asks, and to who is mistaken.
class ListenerBenchTest {
    private final StringWriter said = new StringWriter();

    private int run(String... arguments) {
        return new CommandLine(new ListenerBench())
                .setOut(new PrintWriter(said))
                .setErr(new PrintWriter(said))
                .execute(arguments);
    }

    @Test
    void aMeasureThatThereIsNotIsNamedBeforeAnythingRuns() {
        assertThat(run("--only", "busy,fastest")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(said.toString())
                .contains(
                        "--only=fastest: there is no such measure; there are busy, light, overhead, lost, stop, adaptive, kill");
    }

    @Test
    void anOptionThatThereIsNotIsRefused() {
        assertThat(run("--round", "3")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(said.toString()).contains("--round");
    }

    @Test
    void helpNamesEveryMeasure() {
        assertThat(run("--help")).isZero();
        assertThat(said.toString().replaceAll("\\s+", " "))
                .contains("--only", "--rounds", "--quick", "--markdown")
                .contains("busy, light, overhead, lost, stop, adaptive, kill");
    }
}
