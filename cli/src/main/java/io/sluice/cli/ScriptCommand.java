package io.sluice.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/// What the script `sluice` does by itself, without this tool. It stands in the tree so that help lists it, shells complete it, and
/// a slip of the finger is understood.
///
/// Owned by the main thread.
abstract sealed class ScriptCommand {
    /// Only the script knows what they mean.
    @CommandLine.Unmatched List<String> arguments = new ArrayList<>();

    @CommandLine.Command(
            name = "up",
            description = "Start a broker. 'sluice up --help' shows its settings.")
    static final class Up extends ScriptCommand {}

    @CommandLine.Command(
            name = "chaos",
            description =
                    "Do to a cluster everything that can happen to one. From a checkout of the sources.")
    static final class Chaos extends ScriptCommand {}

    @CommandLine.Command(
            name = "compare",
            description = "Set Sluice beside Apache Kafka. From a checkout of the sources.")
    static final class BenchCompare extends ScriptCommand {}

    @CommandLine.Command(
            name = "outbox",
            description =
                    "Set the outbox relay beside other designs and Debezium. From a checkout of the sources.")
    static final class BenchOutbox extends ScriptCommand {}

    @CommandLine.Command(
            name = "listener",
            description =
                    "Set the listener beside Spring Cloud AWS. From a checkout of the sources.")
    static final class BenchListener extends ScriptCommand {}

    /// The script looks at the first words only.
    static String misplaced(CommandLine command) {
        String words = command.getCommandSpec().qualifiedName();
        return "The script ./sluice does this by itself, and only if it comes first: ./%s, and its options behind it."
                .formatted(words);
    }
}
