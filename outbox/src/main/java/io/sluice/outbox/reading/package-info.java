/// Reads events out of the table: the difference of two snapshots, so that a transaction that commits late is never missed.
///
/// Used by the publishing thread, on its own connection. Never writes to the event table.
@NullMarked
package io.sluice.outbox.reading;

import org.jspecify.annotations.NullMarked;
