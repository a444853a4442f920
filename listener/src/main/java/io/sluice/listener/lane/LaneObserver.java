package io.sluice.listener.lane;

import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;

/// Hears what happens in lanes, for metrics. Called outside of all locks, on the thread where it happens: be short and do not throw.
public interface LaneObserver {
    LaneObserver NONE = new LaneObserver() {};

    /// A message has left a lane: after so long in the process, of which the job took so long (zero when it never ran).
    default void landed(
            String lane, Message message, Settlement verdict, Duration inProcess, Duration job) {}

    /// An attempt at a message has failed, and the next one follows in its slot, since those behind it have to wait.
    default void retriedInPlace(String lane, Message message) {}

    /// A message belongs to no lane, and becomes a dead letter.
    default void stray(Message message) {}

    /// A message found no slot and goes back.
    default void refused(String lane, Message message) {}

    /// The executor refused a job although there was a slot.
    default void breached(String lane, Message message) {}
}
