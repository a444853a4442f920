package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.controller.TopicOutcome.Refused;
import io.sluice.record.PartitionId;
import org.jspecify.annotations.Nullable;

/// How a request about one partition ended. Immutable.
///
/// @param refused why not, or null when it is done
public record PartitionAnswer(PartitionId partition, @Nullable Refused refused) {
    public boolean isDone() {
        return refused == null;
    }

    static PartitionAnswer done(PartitionId partition) {
        return new PartitionAnswer(partition, null);
    }

    static PartitionAnswer refuse(PartitionId partition, Reason reason, String sentence) {
        return new PartitionAnswer(partition, new Refused(reason, sentence));
    }
}
