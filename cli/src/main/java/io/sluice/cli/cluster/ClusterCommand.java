package io.sluice.cli.cluster;

import picocli.CommandLine;

/// A noun; its verbs are the other commands of this package.
@CommandLine.Command(
        name = "cluster",
        description = "Show the brokers.",
        synopsisSubcommandLabel = "COMMAND")
public final class ClusterCommand {}
