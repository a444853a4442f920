package io.sluice.spring;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.message.Message;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// Reads bodies as JSON; text and bytes are taken as they are.
///
/// Immutable.
final class JsonPayloadConverter implements PayloadConverter {
    private final JsonMapper json;

    JsonPayloadConverter(JsonMapper json) {
        this.json = json;
    }

    @Override
    public Object convert(Message message, Type type) {
        if (type == String.class) {
            return message.text();
        }
        if (type == byte[].class) {
            return message.body();
        }
        @Nullable Object payload;
        try {
            payload = json.readValue(message.body(), json.constructType(type));
        } catch (JacksonException e) {
            // Without the source: bodies do not belong into logs.
            throw new UnprocessableException(
                    "The body of %s is no %s: %s"
                            .formatted(message.id(), type.getTypeName(), e.getOriginalMessage()),
                    e);
        }
        if (payload == null) {
            throw new UnprocessableException(
                    "The body of %s is the JSON null, not a %s."
                            .formatted(message.id(), type.getTypeName()));
        }
        return payload;
    }
}
