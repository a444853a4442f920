package io.sluice.kafka.api.groups;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicNames;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The topic that remembers groups and their offsets: made on first use, compacted, replicated like every other. Thread-safe.
public final class OffsetsTopic {
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "cleanup.policy", "compact",
                    "compression.type", "producer",
                    "segment.bytes", String.valueOf(100 << 20),
                    "max.message.bytes", String.valueOf(17 << 20),
                    "flush", "fsync");

    private final Controller controller;
    private final PartitionDirectory partitions;
    private final int partitionCount;

    /// @param partitionCount when the topic has to be made
    public OffsetsTopic(Controller controller, PartitionDirectory partitions, int partitionCount) {
        this.controller = controller;
        this.partitions = partitions;
        this.partitionCount = partitionCount;
    }

    /// How many partitions there are; 0 when no group was ever used.
    int partitions() {
        TopicPlan plan = controller.view().findTopic(TopicNames.OFFSETS);
        return plan == null ? 0 : plan.partitions().size();
    }

    /// Makes the topic if there is none. Completes with the number of partitions.
    Reply<Integer> require(Mailbox home) {
        int present = partitions();
        if (present > 0) {
            return Reply.of(present);
        }
        TopicCommand create =
                new TopicCommand.Create(
                        TopicNames.OFFSETS, partitionCount, -1, List.of(), SETTINGS);
        return controller.execute(create, false, home).map(_ -> partitions());
    }

    @Nullable Partition find(int index) {
        return partitions.find(new PartitionId(TopicNames.OFFSETS, index));
    }
}
