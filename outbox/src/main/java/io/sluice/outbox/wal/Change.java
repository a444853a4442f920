package io.sluice.outbox.wal;

import io.sluice.outbox.lanes.Event;

/// What the stream brings, in the order of commits.
///
/// Immutable.
public sealed interface Change {
    /// An event of the transaction that is being brought.
    ///
    /// @param xid its transaction, the whole number
    record Row(Event event, long xid) implements Change {}

    /// A snapshot that somebody took before: all that is visible in it has come by now.
    record Mark(String snapshot) implements Change {}

    /// The transaction is complete.
    ///
    /// @param endLsn where its commit record ends
    record End(long endLsn) implements Change {}
}
