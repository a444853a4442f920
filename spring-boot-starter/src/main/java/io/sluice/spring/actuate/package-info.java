/// Listeners for people who operate the application: [io.sluice.spring.actuate.ListenerHealth] says whether they can receive,
/// [io.sluice.spring.actuate.ListenerEndpoint] shows their lanes and changes limits.
///
/// Called by Spring Boot's actuator, on its threads. Reads states, and changes nothing but limits.
@NullMarked
package io.sluice.spring.actuate;

import org.jspecify.annotations.NullMarked;
