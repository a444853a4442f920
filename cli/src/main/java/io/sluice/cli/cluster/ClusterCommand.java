package io.sluice.cli.cluster;

import picocli.CommandLine;

/// A noun; its verbs are the other commands of this package.
@CommandLine.Command(
        name = "cluster",
        description = "Show the brokers, or start some on this machine.",
        synopsisSubcommandLabel = "COMMAND")
public final class ClusterCommand {}
