/// Keeps the events that the broker refuses, and those that wait behind them, until they can be sent.
///
/// Used by the publishing thread, on its own connection.
@NullMarked
package io.sluice.outbox.parking;

import org.jspecify.annotations.NullMarked;
