/// `sluice outbox` and `sluice relay`: what waits in an outbox table, what to do about events that cannot be published, and a relay to run.
///
/// Talks to the database through `io.sluice.outbox`; to the broker only where events are sent.
@NullMarked
package io.sluice.cli.outbox;

import org.jspecify.annotations.NullMarked;
