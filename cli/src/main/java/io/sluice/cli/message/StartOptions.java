package io.sluice.cli.message;

import io.sluice.cli.argument.Place;
import io.sluice.cli.argument.TimeArgument;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// Where `tail` begins. At most one is given; none means the last ten.
///
/// Owned by the main thread.
final class StartOptions {
    private static final long LAST_BY_DEFAULT = 10;

    @CommandLine.Option(
            names = "--from",
            paramLabel = "PLACE",
            converter = Place.Converter.class,
            description =
                    "From the beginning, the end, an offset, or a time: 10m (ago), 2026-11-15T08:30, ...")
    @Nullable Place from;

    @CommandLine.Option(names = "--beginning", description = "The same as --from beginning.")
    void beginning(boolean wanted) {
        if (wanted) {
            from = new Place.Beginning();
        }
    }

    @CommandLine.Option(
            names = "--last",
            paramLabel = "N",
            description = "The last N messages. Default: 10.")
    @Nullable Long last;

    /// How many to show at the end, if that is what was asked for; else 0.
    long lastCount() {
        if (from != null) {
            return 0;
        }
        return last == null ? LAST_BY_DEFAULT : last;
    }

    boolean isGiven() {
        return from != null || last != null;
    }

    /// Puts the consumer at the start of each of its partitions.
    void seek(
            Consumer<?, ?> consumer,
            Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> ends,
            Instant now,
            ZoneId zone) {
        Collection<TopicPartition> partitions = consumer.assignment();
        Map<TopicPartition, Long> byTime =
                from instanceof Place.Time(TimeArgument time)
                        ? byTime(consumer, partitions, time.resolve(now, zone).toEpochMilli())
                        : Map.of();
        for (TopicPartition partition : partitions) {
            long start = starts.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, 0L);
            long wanted =
                    switch (from) {
                        case null -> end - lastCount();
                        case Place.Beginning() -> start;
                        case Place.End() -> end;
                        case Place.Offset(long offset) -> offset;
                        case Place.Time _ -> byTime.getOrDefault(partition, end);
                    };
            consumer.seek(partition, Math.clamp(wanted, start, Math.max(start, end)));
        }
    }

    private static Map<TopicPartition, Long> byTime(
            Consumer<?, ?> consumer, Collection<TopicPartition> partitions, long millis) {
        Map<TopicPartition, Long> questions = new HashMap<>();
        partitions.forEach(partition -> questions.put(partition, millis));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        consumer.offsetsForTimes(questions)
                .forEach(
                        (TopicPartition partition, @Nullable OffsetAndTimestamp found) -> {
                            if (found != null) {
                                offsets.put(partition, found.offset());
                            }
                        });
        return offsets;
    }
}
