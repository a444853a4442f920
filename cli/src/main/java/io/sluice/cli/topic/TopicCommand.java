package io.sluice.cli.topic;

import picocli.CommandLine;

/// A noun; its verbs are the other commands of this package.
@CommandLine.Command(
        name = "topic",
        description = "Make, show, change and delete topics.",
        synopsisSubcommandLabel = "COMMAND")
public final class TopicCommand {}
