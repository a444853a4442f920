/// A listener's jobs as observations: spans, with the sender's as their parent, and timers.
///
/// Around the work, at the middle of a message's path; nothing else in the listener knows about it.
@NullMarked
package io.sluice.listener.trace;

import org.jspecify.annotations.NullMarked;
