package io.sluice.outbox.reading;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Headers as they stand in the table: a flat JSON object.
///
/// Strings become header values; anything else (numbers, nested objects) becomes its JSON text. What is no JSON object at all is
/// passed on as one header, `headers`: an event must not be held up because somebody wrote its headers in another form.
public final class HeadersJson {
    static final String RAW = "headers";

    private final String text;
    private int at;

    private HeadersJson(String text) {
        this.text = text;
    }

    public static String write(Map<String, String> headers) {
        StringBuilder json = new StringBuilder("{");
        headers.forEach(
                (name, value) -> {
                    json.append(json.length() > 1 ? ", " : "");
                    quote(json, name);
                    quote(json.append(": "), value);
                });
        return json.append('}').toString();
    }

    public static Map<String, String> read(@Nullable String json) {
        if (json == null || json.isBlank()) {
            return Map.of();
        }
        try {
            return new HeadersJson(json).object();
        } catch (IllegalArgumentException | StringIndexOutOfBoundsException e) {
            return Map.of(RAW, json);
        }
    }

    private Map<String, String> object() {
        Map<String, String> headers = new LinkedHashMap<>();
        expect('{');
        if (peek() != '}') {
            do {
                String name = string();
                expect(':');
                String value = peek() == '"' ? string() : raw();
                headers.put(name, value);
            } while (take(','));
        }
        expect('}');
        skipSpace();
        if (at < text.length()) {
            throw new IllegalArgumentException("more text behind the object");
        }
        return headers;
    }

    private String string() {
        expect('"');
        StringBuilder value = new StringBuilder();
        for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
            value.append(c == '\\' ? escaped() : c);
        }
        return value.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                at += 4;
                yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            default -> c;
        };
    }

    /// The text of a number, literal, object or array.
    private String raw() {
        int start = at;
        int depth = 0;
        while (depth > 0 || ",}".indexOf(text.charAt(at)) < 0) {
            char c = text.charAt(at);
            if (c == '"') {
                string();
                continue;
            }
            depth += "{[".indexOf(c) >= 0 ? 1 : "]}".indexOf(c) >= 0 ? -1 : 0;
            at++;
        }
        String raw = text.substring(start, at).strip();
        if (raw.isEmpty()) {
            throw new IllegalArgumentException("a value is missing");
        }
        return raw;
    }

    private char peek() {
        skipSpace();
        return text.charAt(at);
    }

    private boolean take(char wanted) {
        if (peek() != wanted) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char wanted) {
        if (!take(wanted)) {
            throw new IllegalArgumentException("no " + wanted + " at " + at);
        }
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private static void quote(StringBuilder json, String value) {
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < 0x20) {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
