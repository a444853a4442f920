package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.consuming.DuplicateFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/// What a consumer with a duplicate filter per partition has got, and whether that is what was written.
///
/// Owned by the reading thread.
final class Received {
    private final Map<Integer, DuplicateFilter> filters = new HashMap<>();
    private final List<ConsumerRecord<String, String>> fresh = new ArrayList<>();
    private final Map<Event, String> numbers = new HashMap<>();
    private final Set<String> repeatedNumbers = new HashSet<>();
    private boolean expectsOtherNumbers;
    private int repeated;

    /// Ids alone are not enough: a promoted standby's sequence may give those of lost events to others.
    private record Event(String id, @Nullable String payload) {
        static Event of(ConsumerRecord<String, String> record) {
            return new Event(header(record.headers(), "outbox-event-id"), record.value());
        }
    }

    /// For tests in which numbers jump, and what was published shortly before may come again with other ones.
    void expectOtherNumbers() {
        expectsOtherNumbers = true;
    }

    /// @throws AssertionError if the filter drops what was not there before, with this number: a consumer would have lost it; or if it takes for new what was there before with another number: a consumer
    ///     would work on it twice
    void add(ConsumerRecord<String, String> record) {
        if (filters.computeIfAbsent(record.partition(), _ -> new DuplicateFilter()).isNew(record)) {
            fresh.add(record);
            requireNoOtherNumber(record);
            numbers.put(Event.of(record), number(record.headers()));
        } else {
            repeated++;
            requireRepetition(record);
            repeatedNumbers.add(number(record.headers()));
        }
    }

    private void requireRepetition(ConsumerRecord<String, String> record) {
        String before = numbers.get(Event.of(record));
        if (!number(record.headers()).equals(before)) {
            throw broken(
                    "event %s of %s is dropped for its number %s: it was seen with %s", record);
        }
    }

    /// Only who asks for a replay wants that.
    private void requireNoOtherNumber(ConsumerRecord<String, String> record) {
        String before = numbers.getOrDefault(Event.of(record), number(record.headers()));
        boolean isReplay = !header(record.headers(), "outbox-replay").isEmpty();
        if (!before.equals(number(record.headers())) && !isReplay && !expectsOtherNumbers) {
            throw broken("event %s of %s comes with the number %s: it was seen with %s", record);
        }
    }

    private AssertionError broken(String sentence, ConsumerRecord<String, String> record) {
        return new AssertionError(
                sentence.formatted(
                        header(record.headers(), "outbox-event-id"),
                        record.key(),
                        number(record.headers()),
                        numbers.get(Event.of(record))));
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

    /// Whether an event with this number was dropped, because it had been read before.
    boolean hasRepeated(String number) {
        return repeatedNumbers.contains(number);
    }

    Map<String, List<String>> byKey() {
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (ConsumerRecord<String, String> record : fresh) {
            values.computeIfAbsent(record.key(), _ -> new ArrayList<>()).add(record.value());
        }
        return values;
    }

    /// All of it, in its order, once, and nothing else. What has come again with its number does not count.
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
