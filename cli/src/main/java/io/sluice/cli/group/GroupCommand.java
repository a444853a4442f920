package io.sluice.cli.group;

import picocli.CommandLine;

/// A noun; its verbs are the other commands of this package.
@CommandLine.Command(
        name = "group",
        description = "Show, move and delete consumer groups.",
        synopsisSubcommandLabel = "COMMAND")
public final class GroupCommand {}
