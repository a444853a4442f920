package io.sluice.spring;

import io.sluice.listener.message.Message;
import java.lang.reflect.Type;

/// Makes of a message's body what a listener method wants. A bean of this type replaces the one for JSON.
///
/// Thread-safe.
@FunctionalInterface
public interface PayloadConverter {
    /// @throws io.sluice.listener.failure.UnprocessableException when the body is no such thing and never will be: the message becomes a dead letter at once
    Object convert(Message message, Type type);
}
