package io.sluice.partition;

import io.sluice.env.Reply;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/// What partitions with more than one replica need of the cluster. Immutable.
///
/// @param certain whether this broker can take for granted that it still leads what the plan last gave it; thread-safe
/// @param lagTimeMax a follower that has not caught up for this long leaves the in-sync set (`replica.lag.time.max.ms`)
public record ReplicationDoors(
        InSyncDoor inSync,
        BrokerEpochs brokers,
        CheckpointDoor checkpoints,
        RepairDoor repair,
        BooleanSupplier certain,
        Duration lagTimeMax) {
    public static final Duration DEFAULT_LAG_TIME_MAX = Duration.ofSeconds(10);

    /// For a single node, where no partition has another replica.
    public static ReplicationDoors alone() {
        return new ReplicationDoors(
                (_, _) ->
                        Reply.of(new InSyncDoor.Answer.Refused("there is no other broker", false)),
                _ -> -1,
                _ -> Reply.failed(new IllegalStateException("a single node cuts no log")),
                RepairDoor.NOBODY,
                () -> true,
                DEFAULT_LAG_TIME_MAX);
    }
}
