package io.sluice.kafka.generator;

/// Java source in the making: lines with indentation that follows the braces. Owned by the message it is for.
final class SourceText {
    private final StringBuilder text = new StringBuilder();
    private int depth;

    /// A line; one that ends in `{` indents what follows, one that begins with `}` ends that.
    SourceText line(String line) {
        if (line.isEmpty()) {
            text.append('\n');
            return this;
        }
        if (line.startsWith("}")) {
            depth--;
        }
        text.append("    ".repeat(depth)).append(line).append('\n');
        if (line.endsWith("{")) {
            depth++;
        }
        return this;
    }

    @Override
    public String toString() {
        if (depth != 0) {
            throw new IllegalStateException("braces do not match in:\n" + text);
        }
        return text.toString();
    }

    /// A Java string literal.
    static String literal(String value) {
        return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
