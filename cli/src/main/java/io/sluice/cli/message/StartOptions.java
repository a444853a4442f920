package io.sluice.cli.message;

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

    @CommandLine.Option(names = "--beginning", description = "From the first message there is.")
    boolean beginning;

    @CommandLine.Option(
            names = "--last",
            paramLabel = "N",
            description = "The last N messages. Default: 10.")
    @Nullable Long last;

    @CommandLine.Option(
            names = "--since",
            paramLabel = "TIME",
            converter = TimeArgument.Converter.class,
            description = "From this time on: 10m (ago), 2026-11-15T08:30, ...")
    @Nullable TimeArgument since;

    @CommandLine.Option(
            names = "--offset",
            paramLabel = "N",
            description = "From this offset on, in each partition shown.")
    @Nullable Long offset;

    /// How many to show at the end, if that is what was asked for; else 0.
    long lastCount() {
        return isOther() ? 0 : last == null ? LAST_BY_DEFAULT : last;
    }

    boolean isGiven() {
        return isOther() || last != null;
    }

    private boolean isOther() {
        return beginning || since != null || offset != null;
    }

    /// Puts the consumer at the start of each of its partitions.
    void seek(
            Consumer<?, ?> consumer,
            Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> ends,
            Instant now,
            ZoneId zone) {
        Collection<TopicPartition> partitions = consumer.assignment();
        Map<TopicPartition, Long> positions =
                since == null
                        ? Map.of()
                        : byTime(consumer, partitions, since.resolve(now, zone).toEpochMilli());
        for (TopicPartition partition : partitions) {
            long start = starts.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, 0L);
            long wanted;
            if (beginning) {
                wanted = start;
            } else if (since != null) {
                wanted = positions.getOrDefault(partition, end);
            } else if (offset != null) {
                wanted = offset;
            } else {
                wanted = end - lastCount();
            }
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
