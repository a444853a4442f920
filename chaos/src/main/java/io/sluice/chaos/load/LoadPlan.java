package io.sluice.chaos.load;

/// How much load there is: every producer sends `messagesPerSecond` to each partition.
///
/// Immutable.
public record LoadPlan(int partitions, int producers, int messagesPerSecond, int groupMembers) {

    @Override
    public String toString() {
        return "%d producers, each %d messages/s to each of %d partitions; a reader; a group of %d"
                .formatted(producers, messagesPerSecond, partitions, groupMembers);
    }
}
