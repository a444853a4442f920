package io.sluice.log.producer;

/// What the ledger says to a producer's batch. Immutable.
public sealed interface ProducerVerdict {
    ProducerVerdict IN_ORDER = new InOrder();

    /// May be appended.
    record InOrder() implements ProducerVerdict {}

    /// Was appended before, here.
    record AlreadyAppended(long baseOffset, long nextOffset) implements ProducerVerdict {}

    /// Was appended before, but no longer known where: somewhere before this offset.
    record AppendedLongAgo(long nextOffset, String sentence) implements ProducerVerdict {}

    record Refused(Cause cause, String sentence) implements ProducerVerdict {}

    enum Cause {
        OUT_OF_ORDER,
        STALE_EPOCH
    }
}
