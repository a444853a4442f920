package io.sluice.kafka.api.groups;

import io.sluice.coordinator.InMemoryPartition;
import io.sluice.coordinator.Unavailability;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The offsets topic in memory, owned by one mailbox. It comes to be on first use, like the real one.
final class InMemoryOffsetsTopic implements OffsetsTopic {
    /// The one that leads all of them.
    static final int BROKER = 3;

    private final Mailbox owner;
    private final int partitionCount;
    private final List<InMemoryPartition> partitions = new ArrayList<>();
    private @Nullable Unavailability failure;
    private boolean canBeMade = true;
    private boolean holdsOpenings;
    private boolean hasABug;
    int openings;

    InMemoryOffsetsTopic(Mailbox owner, int partitionCount) {
        this.owner = owner;
        this.partitionCount = partitionCount;
    }

    void cannotBeMade() {
        canBeMade = false;
    }

    void failToOpen(@Nullable Unavailability cause) {
        failure = cause;
    }

    /// Opening meets a bug, or does not any more.
    void hasABug(boolean bug) {
        hasABug = bug;
    }

    /// Opening takes for ever.
    void holdOpenings() {
        holdsOpenings = true;
    }

    InMemoryPartition partition(int index) {
        return partitions.get(index);
    }

    @Override
    public int partitions() {
        return partitions.size();
    }

    @Override
    public Reply<Integer> require(Mailbox home) {
        while (canBeMade && partitions.size() < partitionCount) {
            partitions.add(new InMemoryPartition());
        }
        return Reply.of(partitions.size());
    }

    @Override
    public int leader(int partition) {
        return BROKER;
    }

    @Override
    public @Nullable Mailbox owner(int partition) {
        return partition < partitions.size() ? owner : null;
    }

    @Override
    public Reply<Opening> open(int partition) {
        openings++;
        if (hasABug) {
            throw new IllegalStateException("a bug");
        }
        if (holdsOpenings) {
            return new Reply<>();
        }
        Unavailability cause = failure;
        return Reply.of(
                cause == null
                        ? new Opening.Ready(partitions.get(partition).open())
                        : new Opening.Failed(cause));
    }
}
