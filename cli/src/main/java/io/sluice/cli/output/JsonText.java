package io.sluice.cli.output;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Values as JSON: plain numbers, bytes as bytes, spans in seconds, times in UTC.
///
/// Written by hand because a command that prints one object should not load a JSON library first.
///
/// Stateless.
public final class JsonText {
    private JsonText() {}

    /// On one line.
    public static String compact(Value value) {
        var out = new StringBuilder();
        new Writer(out, false).write(value, 0);
        return out.toString();
    }

    /// Indented by two blanks, from that depth on. The first line is not indented.
    public static String pretty(Value value, int depth) {
        var out = new StringBuilder();
        new Writer(out, true).write(value, depth);
        return out.toString();
    }

    /// A string in double quotes; valid in YAML as well.
    static String quoted(String text) {
        var out = new StringBuilder();
        quote(text, out);
        return out.toString();
    }

    /// The number, word or string without surroundings, as JSON and YAML share it.
    static String scalar(Value.Scalar value) {
        return switch (value) {
            case Value.Text(String text) -> quoted(text);
            case Value.State(String text, _) -> quoted(text);
            case Value.Count(long count) -> Long.toString(count);
            case Value.Ordinal(long number) -> Long.toString(number);
            case Value.Decimal(double number, int decimals) -> number(number, decimals);
            case Value.Bytes(long bytes) -> Long.toString(bytes);
            case Value.Time(Instant instant) -> quoted(instant.toString());
            case Value.Span(Duration duration) -> seconds(duration);
            case Value.Flag(boolean flag) -> Boolean.toString(flag);
            case Value.Absent() -> "null";
        };
    }

    private static String number(double number, int decimals) {
        // Infinity and NaN have no JSON; they come from a division by nothing.
        return Double.isFinite(number)
                ? BigDecimal.valueOf(number)
                        .setScale(decimals, RoundingMode.HALF_UP)
                        .toPlainString()
                : "null";
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toSeconds())
                .add(BigDecimal.valueOf(duration.toNanosPart(), 9))
                .setScale(6, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (Character.isISOControl(c) || (Character.isSurrogate(c) && alone(text, i))) {
                        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private static boolean alone(String text, int i) {
        char c = text.charAt(i);
        return Character.isHighSurrogate(c)
                ? i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1))
                : i == 0 || !Character.isHighSurrogate(text.charAt(i - 1));
    }

    private record Writer(StringBuilder out, boolean pretty) {
        void write(Value value, int depth) {
            switch (value) {
                case Value.Scalar scalar -> append(scalar(scalar));
                case Value.Items(List<? extends Value> items) -> writeItems(items, depth);
                case Fields fields -> writeFields(fields, depth);
            }
        }

        private void writeItems(List<? extends Value> items, int depth) {
            if (items.isEmpty()) {
                append("[]");
                return;
            }
            String separator = "[";
            for (Value item : items) {
                append(separator);
                newLine(depth + 1);
                write(item, depth + 1);
                separator = ",";
            }
            newLine(depth);
            append("]");
        }

        private void writeFields(Fields fields, int depth) {
            if (fields.values().isEmpty()) {
                append("{}");
                return;
            }
            String separator = "{";
            for (Map.Entry<String, Value> field : fields.values().entrySet()) {
                append(separator);
                newLine(depth + 1);
                append(quoted(field.getKey()));
                append(pretty ? ": " : ":");
                write(field.getValue(), depth + 1);
                separator = ",";
            }
            newLine(depth);
            append("}");
        }

        private void newLine(int depth) {
            if (pretty) {
                append("\n");
                append("  ".repeat(depth));
            }
        }

        private void append(String text) {
            out.append(text);
        }
    }
}
