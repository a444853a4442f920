package io.sluice.outbox.operating;

import io.sluice.outbox.lanes.Mode;
import org.jspecify.annotations.Nullable;

/// Where the events of an outbox are read.
///
/// Immutable.
///
/// @param unfinished the way to compat mode was begun and neither finished nor taken back: nobody publishes. Whoever was on it is on it still, or
///     was killed
/// @param streaming whether they come from the database's log now
/// @param fallback wal mode: why they last had to be read from the table; null since they come from the log again
/// @param retainedBytes how much of its log the database keeps for the outbox; null without a slot
public record ModeState(
        String table,
        Mode wanted,
        boolean unfinished,
        boolean streaming,
        @Nullable String fallback,
        @Nullable Long retainedBytes) {}
