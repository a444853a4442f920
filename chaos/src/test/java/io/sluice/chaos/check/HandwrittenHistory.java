package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;

/// A history that a test writes down line by line. Every event is a nanosecond later than the one before.
///
/// Owned by its test.
final class HandwrittenHistory {
    static final String READER = "reader";
    static final String MEMBER = History.GROUP + "-1";
    static final String OTHER_MEMBER = History.GROUP + "-2";

    private final History history = new History();
    private long now;

    /// The first producer's value on partition 0.
    static Value value(int sequence) {
        return new Value(1, 0, sequence);
    }

    HandwrittenHistory sent(int sequence) {
        history.add(new Event.Invoked(now++, value(sequence)));
        return this;
    }

    HandwrittenHistory acknowledged(int sequence, long offset) {
        history.add(new Event.Invoked(now++, value(sequence)));
        history.add(new Event.Acknowledged(now++, value(sequence), offset));
        return this;
    }

    HandwrittenHistory unknown(int sequence) {
        history.add(new Event.Invoked(now++, value(sequence)));
        history.add(new Event.Unknown(now++, value(sequence), "no answer"));
        return this;
    }

    HandwrittenHistory failed(int sequence) {
        history.add(new Event.Invoked(now++, value(sequence)));
        history.add(new Event.Failed(now++, value(sequence), "too large"));
        return this;
    }

    HandwrittenHistory polled(String reader, long offset, int sequence) {
        history.add(new Event.Polled(now++, reader, 0, offset, value(sequence)));
        return this;
    }

    HandwrittenHistory resumed(String reader, long offset) {
        history.add(new Event.Resumed(now++, reader, 0, offset));
        return this;
    }

    HandwrittenHistory committed(String reader, long offset) {
        history.add(new Event.Committed(now++, reader, 0, offset));
        return this;
    }

    HandwrittenHistory outOfRange(String reader, long offset) {
        history.add(new Event.OutOfRange(now++, reader, 0, offset));
        return this;
    }

    /// The last reader finds these values from offset 0 on, and then the end.
    HandwrittenHistory drained(int... sequences) {
        long offset = 0;
        for (int sequence : sequences) {
            polled(History.LAST_READER, offset++, sequence);
        }
        history.add(new Event.Drained(now++, 0, offset));
        return this;
    }

    History history() {
        return history;
    }
}
