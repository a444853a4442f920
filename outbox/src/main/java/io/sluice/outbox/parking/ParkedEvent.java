package io.sluice.outbox.parking;

import io.sluice.outbox.lanes.Event;
import org.jspecify.annotations.Nullable;

/// An event that waits beside the table.
///
/// Immutable.
///
/// @param attempts how often it was refused; 0 for one that waits behind another
/// @param sequence the number it is being sent with, if a retry has begun
public record ParkedEvent(Event event, int attempts, @Nullable Long sequence) {}
