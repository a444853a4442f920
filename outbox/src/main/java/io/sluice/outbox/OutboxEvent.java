package io.sluice.outbox;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// An event to be written: what happened to which aggregate.
///
/// Immutable.
///
/// @param aggregateId events of one aggregate are published in the order of their transactions; becomes the record's key
/// @param payload becomes the record's value
/// @param headers become the record's headers
public record OutboxEvent(String aggregateId, String payload, Map<String, String> headers) {
    /// The header that says what kind of event this is.
    public static final String TYPE = "type";

    /// The header that carries the trace: W3C Trace Context.
    public static final String TRACEPARENT = "traceparent";

    public OutboxEvent {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    public static OutboxEvent of(String aggregateId, String type, String payload) {
        return new OutboxEvent(aggregateId, payload, Map.of(TYPE, type));
    }

    /// The same event with one more header.
    public OutboxEvent with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new OutboxEvent(aggregateId, payload, more);
    }
}
