package io.sluice.kafka.api.groups;

import io.sluice.coordinator.CoordinatorLog;
import io.sluice.coordinator.Unavailability;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import org.jspecify.annotations.Nullable;

/// The topic that remembers groups and their offsets, `__consumer_offsets`, as far as coordinators need to know it. Thread-safe.
public interface OffsetsTopic {
    /// How many partitions there are; 0 when no group was ever used. Never changes otherwise: a group is found by hash modulo this number.
    int partitions();

    /// Makes the topic if there is none. Completes at home with the number of partitions; 0 when it could not be made.
    Reply<Integer> require(Mailbox home);

    /// The broker that leads a partition, or -1.
    int leader(int partition);

    /// The thread that owns a partition; null when this broker does not lead it.
    @Nullable Mailbox owner(int partition);

    /// Opens the log of a partition for its coordinator. Called on the owner's thread, and answered there.
    Reply<Opening> open(int partition);

    /// How opening went.
    sealed interface Opening {
        record Ready(CoordinatorLog log) implements Opening {}

        record Failed(Unavailability cause) implements Opening {}
    }
}
