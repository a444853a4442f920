/// What happens when work fails: again after a while, or to the dead letters, by the kind of exception.
///
/// Asked by a job's run after each failure; the answer goes to the source as a settlement. Pure: no threads, no clock.
@NullMarked
package io.sluice.listener.failure;

import org.jspecify.annotations.NullMarked;
