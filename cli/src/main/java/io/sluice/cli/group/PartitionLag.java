package io.sluice.cli.group;

import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/// How far a group is behind in one partition.
///
/// Immutable.
///
/// @param committed the offset the group reads next
/// @param start the first offset that still exists
/// @param end the next offset to be written
/// @param age how long ago the next unread message was written; empty when it could not be read
record PartitionLag(
        TopicPartition partition, long committed, long start, long end, Optional<Duration> age) {

    long messages() {
        return Math.max(0, end - Math.max(committed, start));
    }

    /// Messages that retention deleted before the group read them.
    long missed() {
        return Math.max(0, start - committed);
    }

    Fields fields() {
        return Fields.of("topic", Value.text(partition.topic()))
                .with("partition", Value.count(partition.partition()))
                .with("committedOffset", Value.count(committed))
                .with("nextOffset", Value.count(end))
                .with("lagMessages", Value.count(messages()))
                .with("lagSeconds", age.map(Value::span).orElse(Value.absent()))
                .with("missedMessages", Value.count(missed()));
    }
}
