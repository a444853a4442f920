package io.sluice.cli.bench;

import picocli.CommandLine;

/// A noun; its verbs are the other commands of this package.
@CommandLine.Command(
        name = "bench",
        description = "Measure throughput and latency.",
        synopsisSubcommandLabel = "COMMAND")
public final class BenchCommand {}
