package io.sluice.cli.group;

import io.sluice.cli.argument.TimeArgument;
import io.sluice.cli.topic.Topics;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// Where `group reset` moves a group to. Exactly one is given.
///
/// Owned by the main thread.
final class ResetTarget {
    @CommandLine.Option(names = "--to-earliest", description = "The first message there is.")
    boolean earliest;

    @CommandLine.Option(names = "--to-latest", description = "Behind the last message.")
    boolean latest;

    @CommandLine.Option(
            names = "--to-time",
            paramLabel = "TIME",
            converter = TimeArgument.Converter.class,
            description = "The first message from this time on: 10m (ago), 2026-11-15T08:30, ...")
    @Nullable TimeArgument time;

    @CommandLine.Option(names = "--to-offset", paramLabel = "N", description = "This offset.")
    @Nullable Long offset;

    @CommandLine.Option(
            names = "--shift",
            paramLabel = "N",
            description = "So many messages on, or back if negative.")
    @Nullable Long shift;

    /// New offsets, kept between the first message and the end.
    Map<TopicPartition, Long> resolve(
            Topics topics,
            Collection<TopicPartition> partitions,
            Map<TopicPartition, Long> committed,
            Instant now,
            ZoneId zone) {
        Map<TopicPartition, Long> starts = topics.offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = topics.offsets(partitions, OffsetSpec.latest());
        Map<TopicPartition, Long> byTime =
                time == null
                        ? Map.of()
                        : topics.offsets(
                                partitions,
                                OffsetSpec.forTimestamp(time.resolve(now, zone).toEpochMilli()));
        Map<TopicPartition, Long> targets = new HashMap<>();
        for (TopicPartition partition : partitions) {
            long start = starts.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, 0L);
            long wanted;
            if (earliest) {
                wanted = start;
            } else if (latest) {
                wanted = end;
            } else if (time != null) {
                // No message from that time on comes as -1.
                long found = byTime.getOrDefault(partition, -1L);
                wanted = found < 0 ? end : found;
            } else if (offset != null) {
                wanted = offset;
            } else {
                long by = shift == null ? 0 : shift;
                wanted = committed.getOrDefault(partition, start) + by;
            }
            targets.put(partition, Math.clamp(wanted, start, end));
        }
        return targets;
    }
}
