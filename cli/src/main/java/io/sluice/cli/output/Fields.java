package io.sluice.cli.output;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/// Values under stable keys, in the order in which they are shown.
///
/// Immutable.
public final class Fields implements Value {
    private static final Fields NONE = new Fields(new LinkedHashMap<>());

    private final SequencedMap<String, Value> values;

    private Fields(SequencedMap<String, Value> values) {
        this.values = values;
    }

    public static Fields none() {
        return NONE;
    }

    public static Fields of(String key, Value value) {
        return NONE.with(key, value);
    }

    /// These fields and one more at the end; a key that is there already gets the new value.
    public Fields with(String key, Value value) {
        var more = new LinkedHashMap<>(values);
        more.put(key, value);
        return new Fields(more);
    }

    public SequencedMap<String, Value> values() {
        return Collections.unmodifiableSequencedMap(values);
    }

    /// The value under that key; absent when there is none.
    public Value value(String key) {
        return values.getOrDefault(key, Value.absent());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Fields fields && values.equals(fields.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
