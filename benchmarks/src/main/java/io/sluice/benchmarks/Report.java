package io.sluice.benchmarks;

import io.sluice.benchmarks.peer.Peer;
import io.sluice.benchmarks.peer.ProcFiles;
import io.sluice.benchmarks.report.ComparisonTable;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;

/// The table with what a reader needs to trust and to repeat it: the machine, the brokers, the command, the noise.
///
/// @param pulses how fast the machine was before each turn
record Report(
        ComparisonTable table,
        List<Peer> peers,
        Options options,
        String command,
        Noise noise,
        String pulses) {

    String plain() {
        return table.plain()
                + "\n"
                + table.verdict()
                + "\n"
                + circumstances()
                + "\n"
                + table.footnotes().stream().map(note -> note + "\n").collect(Collectors.joining());
    }

    String markdown() {
        String notes =
                table.footnotes().stream()
                        .map(note -> "- " + note.replace("\n", " ") + "\n")
                        .collect(Collectors.joining());
        return """
        Made with

        ```
        %s
        ```

        %s

        Median [smallest–largest] over the rounds; the ratio is taken round by round.

        %s
        %s

        %s"""
                .formatted(command, circumstances(), table.markdown(), table.verdict(), notes);
    }

    private String circumstances() {
        String brokers = peers.stream().map(Peer::description).collect(Collectors.joining(" and "));
        return "%s, %d cores (%s), Linux %s, JDK %s. %s%s, %d round%s%s. %s"
                .formatted(
                        LocalDate.now(ZoneOffset.UTC),
                        Runtime.getRuntime().availableProcessors(),
                        ProcFiles.ofThisMachine().processorModel(),
                        System.getProperty("os.version"),
                        Runtime.version(),
                        brokers,
                        options.isCluster() ? ", " + options.nodes + " nodes each" : "",
                        options.rounds,
                        options.rounds == 1 ? "" : "s in turns",
                        options.quick ? ", quick (not for quoting)" : "",
                        noise.describe() + pulses);
    }
}
