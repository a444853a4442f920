package io.sluice.listener.lane;

import io.sluice.listener.message.Message;
import org.jspecify.annotations.Nullable;

/// Which messages of a lane must not overtake each other.
public enum Order {
    /// None: every free slot takes the next message.
    NONE,
    /// Those with the same key, one after the other. Messages without a key are free.
    KEY,
    /// Those of the same partition, one after the other.
    PARTITION;

    /// What a message keeps order with, if with anything.
    @Nullable String keyOf(Message message) {
        return switch (this) {
            case NONE -> null;
            case KEY -> message.key();
            case PARTITION -> message.partition();
        };
    }
}
