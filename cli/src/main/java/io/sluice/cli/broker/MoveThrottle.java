package io.sluice.cli.broker;

import io.sluice.cli.Cluster;
import io.sluice.cli.argument.SizeArgument;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `--throttle`, for commands after which replicas move. Owned by its command.
public final class MoveThrottle {
    @CommandLine.Option(
            names = "--throttle",
            paramLabel = "SIZE",
            converter = SizeArgument.class,
            description =
                    "Bytes per second that each broker copies for moves, at most (50MiB). Stays until it is changed; 0 lifts it.")
    @Nullable Integer bytesPerSecond;

    /// Before anything begins to move.
    public void apply(Cluster cluster) {
        Integer limit = bytesPerSecond;
        if (limit != null) {
            new BrokerStates(cluster).limitMoves(limit);
        }
    }
}
