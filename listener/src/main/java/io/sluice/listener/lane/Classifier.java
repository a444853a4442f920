package io.sluice.listener.lane;

import io.sluice.listener.message.Message;

/// Says which lane a message belongs to. Called for every message on the way in: be quick, and look at attributes rather than bodies.
@FunctionalInterface
public interface Classifier {
    /// @return the name of a lane
    String laneOf(Message message);

    /// By an attribute (a header): its value, or a lane for messages without it.
    static Classifier byAttribute(String attribute, String otherwise) {
        return message -> message.attributes().getOrDefault(attribute, otherwise);
    }
}
