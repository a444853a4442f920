package io.sluice.spring.method;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/// A method that works on the messages of one lane.
///
/// Immutable.
///
/// @param address the queue's name or URL, or the topic
/// @param queue whether it is a queue; otherwise a topic
/// @param source the name in the properties
/// @param limit what the annotation says about it, if anything
public record ListenerMethod(
        Object bean,
        Method method,
        String address,
        boolean queue,
        String source,
        String lane,
        @Nullable Integer limit) {
    @Override
    public String toString() {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
