/// The other end: what a consumer needs to drop the duplicates that at-least-once publishing may leave.
///
/// No dependency on the relay; used on the consumer's thread.
@NullMarked
package io.sluice.outbox.consuming;

import org.jspecify.annotations.NullMarked;
