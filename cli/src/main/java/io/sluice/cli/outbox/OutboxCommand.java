package io.sluice.cli.outbox;

import picocli.CommandLine;

/// A noun; its verbs are the other commands of this package.
@CommandLine.Command(
        name = "outbox",
        description = "Look after outbox tables and their relays.",
        synopsisSubcommandLabel = "COMMAND")
public final class OutboxCommand {}
