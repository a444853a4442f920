/// The relay for people who operate the application: [io.sluice.outbox.spring.actuate.OutboxHealth] says whether events flow.
///
/// Called by Spring Boot's actuator, on its threads. Reads states, changes nothing.
@NullMarked
package io.sluice.outbox.spring.actuate;

import org.jspecify.annotations.NullMarked;
