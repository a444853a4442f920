package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.consuming.DuplicateFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;

/// What a consumer with a duplicate filter per partition has got, and whether that is what was written.
///
/// Owned by the reading thread.
final class Received {
    private final Map<Integer, DuplicateFilter> filters = new HashMap<>();
    private final List<ConsumerRecord<String, String>> fresh = new ArrayList<>();
    private final Map<String, String> numbers = new HashMap<>(); // By the event's id.
    private int repeated;

    /// @throws AssertionError if the filter drops what was not there before, with this number: a consumer would have lost it
    void add(ConsumerRecord<String, String> record) {
        if (filters.computeIfAbsent(record.partition(), _ -> new DuplicateFilter()).isNew(record)) {
            fresh.add(record);
            numbers.put(header(record.headers(), "outbox-event-id"), number(record.headers()));
        } else {
            repeated++;
            requireRepetition(record);
        }
    }

    private void requireRepetition(ConsumerRecord<String, String> record) {
        String id = header(record.headers(), "outbox-event-id");
        String number = number(record.headers());
        if (!number.equals(numbers.get(id))) {
            throw new AssertionError(
                    "event %s of %s is dropped for its number %s: it was seen with %s"
                            .formatted(id, record.key(), number, numbers.get(id)));
        }
    }

    /// Without what the filter dropped, in the order of arrival per partition.
    List<ConsumerRecord<String, String>> records() {
        return List.copyOf(fresh);
    }

    int count() {
        return fresh.size();
    }

    /// What the filter dropped.
    int repeated() {
        return repeated;
    }

    /// Whether an event with this number was read.
    boolean hasSeen(String number) {
        return numbers.containsValue(number);
    }

    Map<String, List<String>> byKey() {
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (ConsumerRecord<String, String> record : fresh) {
            values.computeIfAbsent(record.key(), _ -> new ArrayList<>()).add(record.value());
        }
        return values;
    }

    /// All of it, in its order, once, and nothing else. What has come again with its number does not count; with another number it does.
    ///
    /// @param written the payloads of each aggregate, in order
    void requireSameAs(Map<String, List<String>> written) {
        Map<String, List<String>> got = byKey();
        written.forEach(
                (aggregate, payloads) ->
                        assertThat(got.getOrDefault(aggregate, List.of()))
                                .as(aggregate)
                                .isEqualTo(payloads));
        assertThat(got.keySet()).as("aggregates").isEqualTo(written.keySet());
    }

    static String number(Headers headers) {
        return header(headers, "outbox-lane") + "/" + header(headers, "outbox-sequence");
    }

    static String header(Headers headers, String name) {
        var header = headers.lastHeader(name);
        return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }
}
