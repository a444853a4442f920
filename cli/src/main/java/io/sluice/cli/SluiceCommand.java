package io.sluice.cli;

import io.sluice.cli.argument.DurationArgument;
import io.sluice.cli.output.Format;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ScopeType;

/// The root of the command tree and the options that every command has.
///
/// Owned by the main thread.
@CommandLine.Command(
        name = "sluice",
        description = {
            "'sluice up' starts a broker.",
            "The other commands work with it, or with any other that speaks Kafka's protocol."
        },
        synopsisSubcommandLabel = "COMMAND",
        usageHelpAutoWidth = true,
        footerHeading = "%nExit codes: ",
        footer =
                "0 ok, 1 failed, 2 usage, 3 not found or empty, 4 timeout, 5 unauthorised, 6"
                        + " partially done.")
public final class SluiceCommand {
    private static final String DEFAULT_BOOTSTRAP = "localhost:9092";

    @CommandLine.Option(
            names = {"-b", "--bootstrap"},
            paramLabel = "HOST:PORT",
            scope = ScopeType.INHERIT,
            description =
                    "The broker to ask first, or several with commas between. Default:"
                            + " $SLUICE_BOOTSTRAP, else "
                            + DEFAULT_BOOTSTRAP
                            + ".")
    @Nullable String bootstrap;

    @CommandLine.Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            scope = ScopeType.INHERIT,
            defaultValue = "table",
            description = "How to print: ${COMPLETION-CANDIDATES}. Default: table.")
    Format output = Format.table;

    @CommandLine.Option(
            names = "--command-config",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "Client settings (security and the like) from a properties file.")
    @Nullable Path commandConfig;

    @CommandLine.Option(
            names = "-X",
            paramLabel = "KEY=VALUE",
            scope = ScopeType.INHERIT,
            description = "One client setting; wins over the file. Repeatable.")
    Map<String, String> clientSettings = new LinkedHashMap<>();

    @CommandLine.Option(
            names = "--timeout",
            paramLabel = "DURATION",
            scope = ScopeType.INHERIT,
            converter = DurationArgument.class,
            defaultValue = "15s",
            description = "How long the broker may take to answer. Default: 15s.")
    Duration timeout = Duration.ofSeconds(15);

    @CommandLine.Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Show the client's warnings, and stack traces of failures.")
    boolean verbose;

    @CommandLine.Option(
            names = {"-q", "--quiet"},
            scope = ScopeType.INHERIT,
            description = "No progress and no hints on stderr.")
    boolean quiet;

    @CommandLine.Option(
            names = "--no-color",
            scope = ScopeType.INHERIT,
            description = "No colours, as with NO_COLOR.")
    boolean noColor;

    @CommandLine.Option(
            names = {"-h", "--help"},
            scope = ScopeType.INHERIT,
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @CommandLine.Option(
            names = {"-V", "--version"},
            scope = ScopeType.INHERIT,
            description = "Show the version.")
    boolean version;

    String bootstrapOr(@Nullable String fromEnvironment) {
        if (bootstrap != null) {
            return bootstrap;
        }
        return fromEnvironment == null || fromEnvironment.isEmpty()
                ? DEFAULT_BOOTSTRAP
                : fromEnvironment;
    }
}
