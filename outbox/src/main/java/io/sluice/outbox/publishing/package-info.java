/// Sends events to the broker, in order, and says what became of each.
///
/// Used by the publishing thread; acknowledgements come on the producer's thread and meet it in one monitor.
@NullMarked
package io.sluice.outbox.publishing;

import org.jspecify.annotations.NullMarked;
