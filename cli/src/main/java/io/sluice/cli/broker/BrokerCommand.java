package io.sluice.cli.broker;

import picocli.CommandLine;

/// A noun; its verbs are the other commands of this package.
@CommandLine.Command(
        name = "broker",
        description =
                "Show brokers, empty them, take them out of the cluster. 'sluice up' starts one.",
        synopsisSubcommandLabel = "COMMAND")
public final class BrokerCommand {}
