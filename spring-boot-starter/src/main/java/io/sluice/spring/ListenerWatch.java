package io.sluice.spring;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneObserver;

/// Publishes what listeners do, where there is something to publish it to.
///
/// Thread-safe.
interface ListenerWatch {
    ListenerWatch NONE = new ListenerWatch() {};

    /// Hears what happens in the lanes of a source.
    default LaneObserver observer(String source) {
        return LaneObserver.NONE;
    }

    default void started(String source, Listener listener) {}
}
