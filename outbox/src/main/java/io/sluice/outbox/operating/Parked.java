package io.sluice.outbox.operating;

import java.time.Instant;

/// An event beside the table: refused, or waiting behind one that was.
///
/// Immutable.
///
/// @param state `FAILED`, `WAITING`, or `DEAD_LETTER` while it is on its way to another topic
/// @param error why it was refused; empty for one that waits
public record Parked(
        int lane,
        String key,
        long ord,
        String eventId,
        String state,
        int attempts,
        Instant nextRetryAt,
        Instant parkedAt,
        int payloadBytes,
        String error) {}
