package io.sluice.listener.json;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.Classifier;
import io.sluice.listener.message.Message;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.filter.FilteringParserDelegate;
import tools.jackson.core.filter.JsonPointerBasedFilter;
import tools.jackson.core.filter.TokenFilter.Inclusion;
import tools.jackson.core.json.JsonFactory;

/// Says which lane a message belongs to by a field of its JSON body. Reads only as far as that field, and keeps nothing.
///
/// ```java
/// new JsonFieldClassifier("/type", "label")
/// ```
/// Immutable.
public final class JsonFieldClassifier implements Classifier {
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonPointer field;
    private final @Nullable String otherwise;

    /// @param pointer to the field (RFC 6901): `/type`, `/job/kind`
    /// @param otherwise the lane of messages without it; none: they become dead letters
    public JsonFieldClassifier(String pointer, @Nullable String otherwise) {
        this.field = JsonPointer.compile(pointer);
        this.otherwise = otherwise;
    }

    @Override
    public String laneOf(Message message) {
        String value;
        try (JsonParser parser =
                new FilteringParserDelegate(
                        JSON.createParser(ObjectReadContext.empty(), message.body()),
                        new JsonPointerBasedFilter(field),
                        Inclusion.ONLY_INCLUDE_ALL,
                        false)) {
            JsonToken token = parser.nextToken();
            value = token != null && token.isScalarValue() ? parser.getString() : null;
        } catch (JacksonException e) {
            throw new UnprocessableException(
                    "The body of %s is no JSON: %s".formatted(message.id(), e.getOriginalMessage()),
                    e);
        }
        if (value != null) {
            return value;
        }
        if (otherwise == null) {
            throw new UnprocessableException(
                    "The body of %s has nothing at %s that names a lane."
                            .formatted(message.id(), field));
        }
        return otherwise;
    }
}
