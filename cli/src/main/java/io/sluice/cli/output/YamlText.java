package io.sluice.cli.output;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// Values as YAML 1.2 block style; strings stay bare only where nothing could read them as something else.
///
/// Stateless.
public final class YamlText {
    private static final Pattern BARE =
            Pattern.compile("[A-Za-z_/][A-Za-z0-9_./@+-]*( [A-Za-z0-9_./@+-]+)*");
    private static final Set<String> WORDS =
            Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    private YamlText() {}

    /// A whole document, ending with a line break.
    public static String document(Value value) {
        var out = new StringBuilder();
        writeBlock(value, 0, out);
        return out.toString();
    }

    private static void writeBlock(Value value, int depth, StringBuilder out) {
        switch (value) {
            case Value.Scalar scalar -> out.append(scalar(scalar)).append('\n');
            case Value.Items(List<? extends Value> items) -> {
                if (items.isEmpty()) {
                    out.append("[]\n");
                }
                for (Value item : items) {
                    indent(depth, out).append("- ");
                    writeItem(item, depth, out);
                }
            }
            case Fields fields -> {
                if (fields.values().isEmpty()) {
                    out.append("{}\n");
                }
                for (Map.Entry<String, Value> field : fields.values().entrySet()) {
                    writeField(field, depth, out);
                }
            }
        }
    }

    /// After `- `: an object's first field stands on the same line.
    private static void writeItem(Value item, int depth, StringBuilder out) {
        if (item instanceof Fields fields && !fields.values().isEmpty()) {
            var block = new StringBuilder();
            writeBlock(fields, depth + 1, block);
            out.append(block.substring(2 * (depth + 1)));
        } else if (nested(item)) {
            out.append('\n');
            writeBlock(item, depth + 1, out);
        } else {
            writeBlock(item, 0, out);
        }
    }

    private static void writeField(Map.Entry<String, Value> field, int depth, StringBuilder out) {
        indent(depth, out).append(text(field.getKey())).append(':');
        if (nested(field.getValue())) {
            out.append('\n');
            writeBlock(field.getValue(), depth + 1, out);
        } else {
            out.append(' ');
            writeBlock(field.getValue(), 0, out);
        }
    }

    private static boolean nested(Value value) {
        return switch (value) {
            case Value.Scalar _ -> false;
            case Value.Items(List<? extends Value> items) -> !items.isEmpty();
            case Fields fields -> !fields.values().isEmpty();
        };
    }

    private static String scalar(Value.Scalar value) {
        return switch (value) {
            case Value.Text(String text) -> text(text);
            case Value.State(String text, _) -> text(text);
            case Value.Count _,
                    Value.Ordinal _,
                    Value.Decimal _,
                    Value.Bytes _,
                    Value.Time _,
                    Value.Span _,
                    Value.Flag _,
                    Value.Absent _ ->
                    JsonText.scalar(value);
        };
    }

    private static String text(String text) {
        boolean bare =
                BARE.matcher(text).matches() && !WORDS.contains(text.toLowerCase(Locale.ROOT));
        return bare ? text : JsonText.quoted(text);
    }

    private static StringBuilder indent(int depth, StringBuilder out) {
        return out.append("  ".repeat(depth));
    }
}
