/// The outbox in a Spring Boot application.
///
/// [io.sluice.outbox.spring.TransactionalOutbox] writes events into the transaction that runs; [io.sluice.outbox.spring.EmbeddedRelay]
/// publishes them beside the application, if a topic is named. All settings are [io.sluice.outbox.spring.OutboxProperties]; those
/// of `app.outbox.relay` are the document's, with its names and defaults.
@NullMarked
package io.sluice.outbox.spring;

import org.jspecify.annotations.NullMarked;
