package io.sluice.cli.message;

import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/// Where sent messages ended up, as a range per partition, so that a million of them fit into a few lines.
///
/// Thread-safe: one monitor; acknowledgements come on the producer's thread.
final class SendReport {
    private final SortedMap<Integer, Range> ranges = new TreeMap<>();
    private long acknowledged;
    private long failed;
    private @Nullable Exception firstFailure;

    private static final class Range {
        private long messages;
        private long first = Long.MAX_VALUE;
        private long last = -1;
        private long bytes;
    }

    synchronized void acknowledged(RecordMetadata metadata) {
        acknowledged++;
        Range range = ranges.computeIfAbsent(metadata.partition(), _ -> new Range());
        range.messages++;
        range.bytes +=
                Math.max(0, metadata.serializedKeySize())
                        + Math.max(0, metadata.serializedValueSize());
        if (metadata.hasOffset()) {
            range.first = Math.min(range.first, metadata.offset());
            range.last = Math.max(range.last, metadata.offset());
        }
    }

    synchronized void failed(Exception reason) {
        failed++;
        if (firstFailure == null) {
            firstFailure = reason;
        }
    }

    synchronized long acknowledged() {
        return acknowledged;
    }

    synchronized long failed() {
        return failed;
    }

    synchronized @Nullable Exception firstFailure() {
        return firstFailure;
    }

    /// With at-most-once the broker does not say where it put a message.
    synchronized boolean offsetsKnown() {
        return ranges.values().stream().allMatch(range -> range.last >= 0);
    }

    synchronized Listing listing(String topic) {
        List<Fields> rows = new ArrayList<>();
        ranges.forEach(
                (partition, range) ->
                        rows.add(
                                Fields.of("topic", Value.text(topic))
                                        .with("partition", Value.count(partition))
                                        .with("messages", Value.count(range.messages))
                                        .with("firstOffset", offset(range, range.first))
                                        .with("lastOffset", offset(range, range.last))
                                        .with("sizeBytes", Value.bytes(range.bytes))));
        return Listing.of(
                List.of(
                        Column.of("topic", "TOPIC"),
                        Column.of("partition", "PARTITION"),
                        Column.of("messages", "MESSAGES"),
                        Column.of("firstOffset", "FIRST OFFSET"),
                        Column.of("lastOffset", "LAST OFFSET"),
                        Column.of("sizeBytes", "SIZE")),
                rows);
    }

    private static Value offset(Range range, long offset) {
        return range.last < 0 ? Value.absent() : Value.count(offset);
    }
}
