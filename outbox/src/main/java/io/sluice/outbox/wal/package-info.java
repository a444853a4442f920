/// Wal mode's source: PostgreSQL's own log, decoded by its `pgoutput` plug-in and pushed to the relay when a transaction commits.
///
/// A thread reads the stream and decodes it; the publishing thread takes events from a bounded queue. The event table stays the truth:
/// when the slot is lost, the relay goes on with the table.
@NullMarked
package io.sluice.outbox.wal;

import org.jspecify.annotations.NullMarked;
