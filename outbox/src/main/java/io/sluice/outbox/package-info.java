/// The transactional outbox: from COMMIT in PostgreSQL to a topic, in order, without a stall.
///
/// [io.sluice.outbox.Outbox] writes an event in the business transaction; [io.sluice.outbox.Relay] publishes it. The rooms
/// between the two, in the order in which an event walks through them: `membership` (who reads which lane), `reading`,
/// `lanes` (the decisions), `publishing`, `parking` (for what cannot be published), and at the other end `consuming`.
///
/// Stands beside the broker: kafka-clients' public API only, so it works with any Kafka-compatible broker.
@NullMarked
package io.sluice.outbox;

import org.jspecify.annotations.NullMarked;
