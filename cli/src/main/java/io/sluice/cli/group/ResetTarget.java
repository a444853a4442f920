package io.sluice.cli.group;

import io.sluice.cli.argument.Place;
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
    @CommandLine.Option(
            names = "--to",
            paramLabel = "PLACE",
            converter = Place.Converter.class,
            description =
                    "The beginning, the end, an offset, or a time: 10m (ago), 2026-11-15T08:30, ...")
    @Nullable Place place;

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
                place instanceof Place.Time(TimeArgument time)
                        ? topics.offsets(
                                partitions,
                                OffsetSpec.forTimestamp(time.resolve(now, zone).toEpochMilli()))
                        : Map.of();
        Map<TopicPartition, Long> targets = new HashMap<>();
        for (TopicPartition partition : partitions) {
            long start = starts.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, 0L);
            // No message from that time on comes as -1.
            long found = byTime.getOrDefault(partition, -1L);
            long wanted =
                    switch (place) {
                        case null ->
                                committed.getOrDefault(partition, start)
                                        + (shift == null ? 0 : shift);
                        case Place.Beginning() -> start;
                        case Place.End() -> end;
                        case Place.Offset(long offset) -> offset;
                        case Place.Time _ -> found < 0 ? end : found;
                    };
            targets.put(partition, Math.clamp(wanted, start, end));
        }
        return targets;
    }
}
