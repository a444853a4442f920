package io.sluice.conformance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/// What a broker has promised: which message it has acknowledged at which offset. Messages are numbers that were sent in rising order.
///
/// Thread-safe: guarded by its monitor.
final class AcknowledgementBook {
    private final Map<TopicPartition, Map<Long, Long>> promises = new HashMap<>();
    private long count;

    synchronized void acknowledged(TopicPartition partition, long offset, long number) {
        promises.computeIfAbsent(partition, _ -> new HashMap<>()).put(offset, number);
        count++;
    }

    synchronized long count() {
        return count;
    }

    /// Holds the book against what was read from one partition, in the order in which it came. Returns what is wrong, in words.
    synchronized List<String> discrepancies(
            TopicPartition partition, List<ConsumerRecord<String, String>> read) {
        List<String> wrong = new ArrayList<>();
        Map<Long, Long> open = new HashMap<>(promises.getOrDefault(partition, Map.of()));
        long nextOffset = 0;
        long lastNumber = -1;
        for (ConsumerRecord<String, String> record : read) {
            if (record.offset() != nextOffset) {
                wrong.add("offset " + record.offset() + " follows " + (nextOffset - 1));
            }
            nextOffset = record.offset() + 1;
            long number = Long.parseLong(record.value());
            if (number <= lastNumber) {
                wrong.add("message " + number + " comes after " + lastNumber);
            }
            lastNumber = number;
            Long promised = open.remove(record.offset());
            if (promised != null && promised != number) {
                wrong.add(
                        "offset %d was promised to message %d and holds %d"
                                .formatted(record.offset(), promised, number));
            }
        }
        open.forEach(
                (offset, number) ->
                        wrong.add(
                                "message " + number + ", acknowledged at " + offset + ", is lost"));
        return wrong;
    }
}
