package io.sluice.spring;

import io.sluice.listener.lane.LaneSettings;

/// Changes a lane before it starts: for what properties cannot say, such as a failure policy with rules for some exceptions, or work that happens once ([io.sluice.spring.once.SpringOnceStore]).
@FunctionalInterface
public interface LaneCustomizer {
    /// @param source the queue's or topic's name in the properties
    /// @return the lane, changed or not
    LaneSettings customize(String source, LaneSettings lane);
}
