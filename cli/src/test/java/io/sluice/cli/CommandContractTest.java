package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.output.Format;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/// What holds for every command there is, whatever it does.
class CommandContractTest {

    /// Every command that does something here.
    static Stream<CommandLine> leaves() {
        return all().filter(command -> command.getCommand() instanceof Command);
    }

    static Stream<CommandLine> all() {
        return CommandTree.whole().getSubcommands().values().stream()
                .flatMap(CommandContractTest::withSubcommands);
    }

    private static Stream<CommandLine> withSubcommands(CommandLine command) {
        return Stream.concat(
                Stream.of(command),
                command.getSubcommands().values().stream()
                        .flatMap(CommandContractTest::withSubcommands));
    }

    static String words(CommandLine command) {
        return command.getCommandSpec().qualifiedName().substring("sluice ".length());
    }

    @Test
    void thereAreCommands() {
        assertThat(leaves().map(CommandContractTest::words))
                .contains("topic list", "send", "tail", "group reset", "bench latency", "doctor");
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void everyCommandHasTheGlobalOptions(CommandLine command) {
        for (String option :
                List.of("-o", "--output", "--bootstrap", "--command-config", "--help")) {
            assertThat(command.getCommandSpec().findOption(option))
                    .as(words(command) + " " + option)
                    .isNotNull();
        }
        OptionSpec output = command.getCommandSpec().findOption("-o");
        assertThat(output.completionCandidates())
                .containsExactly("table", "json", "jsonl", "yaml", "name");
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void everyCommandAndOptionIsDescribed(CommandLine command) {
        assertThat(command.getCommandSpec().usageMessage().description())
                .as(words(command))
                .isNotEmpty();
        for (OptionSpec option : command.getCommandSpec().options()) {
            assertThat(option.description()).as(option.longestName()).isNotEmpty();
        }
    }

    /// Lists of commands show no more of it.
    @ParameterizedTest
    @MethodSource("all")
    void everyDescriptionBeginsWithAWholeSentence(CommandLine command) {
        assertThat(command.getCommandSpec().usageMessage().description()[0])
                .as(words(command))
                .endsWith(".");
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void everyDefaultIsSaid(CommandLine command) {
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (option.defaultValue() != null) {
                assertThat(String.join(" ", option.description()))
                        .as(words(command) + " " + option.longestName())
                        .contains("Default: ")
                        .contains(option.defaultValue());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void commandBuiltAloneIsTheSameAsInTheWholeTree(CommandLine command) {
        CommandLine alone = CommandTree.forArguments(words(command).split(" "));
        for (String word : words(command).split(" ")) {
            alone = Objects.requireNonNull(alone.getSubcommands().get(word));
        }
        assertThat(alone.getUsageMessage()).isEqualTo(command.getUsageMessage());
    }

    @Test
    void deliveryAndProfileAreFlagsWhereMessagesMove() {
        for (String words :
                List.of("send", "tail", "bench produce", "bench consume", "bench latency")) {
            CommandLine command =
                    leaves().filter(leaf -> words(leaf).equals(words)).findAny().orElseThrow();
            assertThat(command.getCommandSpec().findOption("--delivery").completionCandidates())
                    .containsExactly("at-most-once", "at-least-once", "exactly-once");
            assertThat(command.getCommandSpec().findOption("--profile").completionCandidates())
                    .containsExactly("throughput", "latency", "balanced");
        }
    }

    /// Without a broker a command that needs one prints no data, in no format, and says why.
    @ParameterizedTest
    @MethodSource("leaves")
    void noCommandPrintsDataWhenItFails(CommandLine command) {
        List<String> needNone =
                List.of("doctor", "completion", "log dump", "log verify", "cluster up");
        if (needNone.contains(words(command))) {
            return;
        }
        for (Format format : Format.values()) {
            List<String> args = new ArrayList<>(CommandExamples.of(words(command)));
            args.addAll(List.of("-o", format.name()));
            var result = Cli.withoutBroker().run(args.toArray(String[]::new));
            assertThat(result.exitCode()).as(args + " " + result.err()).isEqualTo(1);
            assertThat(result.out()).as(args.toString()).isEmpty();
            boolean ofTheOutbox = words(command).matches("(outbox|relay).*");
            assertThat(result.err()).contains(ofTheOutbox ? "No database" : "No broker");
        }
    }
}
