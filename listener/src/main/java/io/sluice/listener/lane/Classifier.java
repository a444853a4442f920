package io.sluice.listener.lane;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.message.Message;

/// Says which lane a message belongs to. Called for every message on the way in: be quick, and look at attributes rather than bodies.
@FunctionalInterface
public interface Classifier {
    /// @return the name of a lane
    String laneOf(Message message);

    /// By an attribute (a header): its value. Messages without it become dead letters.
    static Classifier byAttribute(String attribute) {
        return message -> {
            String lane = message.attributes().get(attribute);
            if (lane == null) {
                throw new UnprocessableException(
                        "%s has no attribute %s that names its lane."
                                .formatted(message.id(), attribute));
            }
            return lane;
        };
    }

    /// By an attribute (a header): its value, or a lane for messages without it.
    static Classifier byAttribute(String attribute, String otherwise) {
        return message -> message.attributes().getOrDefault(attribute, otherwise);
    }
}
