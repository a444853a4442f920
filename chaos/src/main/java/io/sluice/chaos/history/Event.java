package io.sluice.chaos.history;

/// One thing that a client did or saw, and when (nanoseconds of the harness's own clock).
///
/// Immutable.
public sealed interface Event {

    long atNanos();

    /// A message was handed to a producer.
    record Invoked(long atNanos, Value value) implements Event {}

    /// The cluster promised to keep it. `offset` is [#UNKNOWN_OFFSET] when the producer, asking again, was told only that it is there already (`DUPLICATE_SEQUENCE_NUMBER`).
    record Acknowledged(long atNanos, Value value, long offset) implements Event {
        public static final long UNKNOWN_OFFSET = -1;
    }

    /// It was certainly not written: it never left the producer.
    record Failed(long atNanos, Value value, String reason) implements Event {}

    /// Nobody knows whether it was written: no answer in time, or an answer that leaves it open.
    record Unknown(long atNanos, Value value, String reason) implements Event {}

    /// A reader was given a message.
    record Polled(long atNanos, String reader, int partition, long offset, Value value)
            implements Event {}

    /// A reader begins (again) at an offset: what follows is a new run of polls. `offset` is -1 when the reader could not tell where.
    record Resumed(long atNanos, String reader, int partition, long offset) implements Event {}

    /// A group's member was told that its position is kept.
    record Committed(long atNanos, String reader, int partition, long offset) implements Event {}

    /// A reader was told that the offset it had got to does not exist, although nothing is ever deleted.
    record OutOfRange(long atNanos, String reader, int partition, long offset) implements Event {}

    /// The last reader, after the load and with nothing broken any more, has read the partition to its end.
    record Drained(long atNanos, int partition, long end) implements Event {}
}
