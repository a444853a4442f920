package io.sluice.cli.log;

import picocli.CommandLine;

/// A noun; its verbs are the other commands of this package.
@CommandLine.Command(
        name = "log",
        description = "Look into a data directory, with or without a broker running on it.",
        synopsisSubcommandLabel = "COMMAND")
public final class LogCommand {}
