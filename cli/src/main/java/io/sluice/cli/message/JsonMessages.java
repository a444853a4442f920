package io.sluice.cli.message;

import io.sluice.cli.Failure;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// Reads a message from one JSON object per line, in the fields that `tail -o jsonl` writes: `key`, `value`, `headers`,
/// `partition`, `timestamp`, and `keyBase64`, `valueBase64` for what is no text. A value that is an object, an array or a
/// number is sent as its JSON.
///
/// Owned by the main thread.
final class JsonMessages {
    private final JsonFactory json = new JsonFactory();

    Outgoing parse(String line, long lineNumber) {
        try (JsonParser parser = json.createParser(ObjectReadContext.empty(), line)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw Failure.usage(
                        "Line %d is no JSON object: %s".formatted(lineNumber, shortened(line)));
            }
            return message(parser, lineNumber);
        } catch (JacksonException e) {
            throw Failure.usage(
                    "Line %d is no JSON: %s. It reads: %s"
                            .formatted(lineNumber, e.getOriginalMessage(), shortened(line)));
        } catch (IllegalArgumentException | DateTimeParseException e) {
            throw Failure.usage("Line %d: %s.".formatted(lineNumber, e.getMessage()));
        }
    }

    private Outgoing message(JsonParser parser, long lineNumber) {
        byte[] key = null;
        byte[] value = null;
        boolean valueGiven = false;
        Map<String, byte @Nullable []> headers = new LinkedHashMap<>();
        Integer partition = null;
        Long timestamp = null;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String field = parser.currentName();
            parser.nextToken();
            switch (field) {
                case "key" -> key = bytes(parser);
                case "keyBase64" -> key = base64(parser);
                case "value" -> {
                    value = bytes(parser);
                    valueGiven = true;
                }
                case "valueBase64" -> {
                    value = base64(parser);
                    valueGiven = true;
                }
                case "headers" -> headers.putAll(headers(parser, lineNumber));
                case "partition" -> partition = isNull(parser) ? null : parser.getIntValue();
                case "timestamp" -> timestamp = timestamp(parser);
                case "topic", "offset", "position" -> parser.skipChildren();
                default ->
                        throw Failure.usage(
                                "Line %d has an unknown field '%s'. Fields are key, value, headers, partition, timestamp, keyBase64, valueBase64."
                                        .formatted(lineNumber, field));
            }
        }
        if (!valueGiven) {
            throw Failure.usage(
                    "Line %d has no value. Write \"value\": null for a tombstone."
                            .formatted(lineNumber));
        }
        return new Outgoing(key, value, headers, partition, timestamp);
    }

    private byte @Nullable [] bytes(JsonParser parser) {
        return switch (parser.currentToken()) {
            case VALUE_NULL -> null;
            case VALUE_STRING -> parser.getString().getBytes(StandardCharsets.UTF_8);
            default -> {
                var text = new StringWriter();
                try (var generator = json.createGenerator(ObjectWriteContext.empty(), text)) {
                    generator.copyCurrentStructure(parser);
                }
                yield text.toString().getBytes(StandardCharsets.UTF_8);
            }
        };
    }

    private static byte @Nullable [] base64(JsonParser parser) {
        return isNull(parser) ? null : Base64.getDecoder().decode(parser.getString());
    }

    private Map<String, byte @Nullable []> headers(JsonParser parser, long lineNumber) {
        Map<String, byte @Nullable []> headers = new LinkedHashMap<>();
        if (isNull(parser)) {
            return headers;
        }
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw Failure.usage(
                    "Line %d: headers have to be an object of texts.".formatted(lineNumber));
        }
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            headers.put(name, bytes(parser));
        }
        return headers;
    }

    private static @Nullable Long timestamp(JsonParser parser) {
        return switch (parser.currentToken()) {
            case VALUE_NULL -> null;
            case VALUE_STRING -> Instant.parse(parser.getString()).toEpochMilli();
            default -> parser.getLongValue();
        };
    }

    private static boolean isNull(JsonParser parser) {
        return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    private static String shortened(String line) {
        return line.length() <= 80 ? line : line.substring(0, 80) + "...";
    }
}
