package io.sluice.log.producer;

import io.sluice.record.RecordBatch;

/// Arithmetic of producers' sequence numbers, which go from 2³¹-1 on to 0. Pure.
final class Sequences {
    private Sequences() {}

    static int next(int sequence) {
        return sequence == RecordBatch.NO_SEQUENCE ? 0 : (sequence + 1) & Integer.MAX_VALUE;
    }

    static int minus(int sequence, int count) {
        return (sequence - count) & Integer.MAX_VALUE;
    }

    /// How many steps lead from one to the other.
    static int distance(int from, int to) {
        return (to - from) & Integer.MAX_VALUE;
    }
}
