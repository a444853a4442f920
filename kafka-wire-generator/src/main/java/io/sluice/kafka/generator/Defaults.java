package io.sluice.kafka.generator;

/// What a field holds when nobody set it, and how to tell that somebody did, as Java expressions.
///
/// The rules are those of the schema language: numbers are 0, strings, bytes and arrays are empty and structs have
/// all their own defaults, unless the schema says otherwise; only a default of `null` makes null the default, not
/// the fact that null is allowed. Records are null.
final class Defaults {
    private Defaults() {}

    static boolean isNull(Field field) {
        return field.type() == FieldType.Scalar.RECORDS || "null".equals(field.defaultText());
    }

    static String value(Field field) {
        if (isNull(field)) {
            return "null";
        }
        if (field.type() instanceof FieldType.Array) {
            return "List.of()";
        }
        if (field.type() instanceof FieldType.Struct struct) {
            return struct.name() + ".DEFAULT";
        }
        String text = field.defaultText() == null ? "" : field.defaultText();
        return switch ((FieldType.Scalar) field.type()) {
            case BOOL -> Boolean.toString(text.equals("true"));
            case INT8 -> "(byte) " + number(text);
            case INT16 -> "(short) " + number(text);
            case UINT16, INT32 -> Long.toString(number(text));
            case UINT32, INT64 -> number(text) + "L";
            case FLOAT64 -> Double.toString(text.isEmpty() ? 0 : Double.parseDouble(text));
            case STRING -> SourceText.literal(text);
            case UUID -> "WireMessage.ZERO_UUID";
            case BYTES -> "WireMessage.EMPTY_BYTES";
            case RECORDS -> "null";
        };
    }

    /// A condition that holds when the value is not the default.
    static String isSet(Field field, String value) {
        if (isNull(field)) {
            return value + " != null";
        }
        boolean nullable = field.isNullable();
        if (field.type() instanceof FieldType.Array) {
            return orNull(nullable, value, "!" + value + ".isEmpty()");
        }
        if (field.type() instanceof FieldType.Struct struct) {
            return orNull(nullable, value, "!" + value + ".equals(" + struct.name() + ".DEFAULT)");
        }
        String standard = value(field);
        return switch ((FieldType.Scalar) field.type()) {
            case BOOL -> standard.equals("true") ? "!" + value : value;
            case INT8, INT16, UINT16, INT32, UINT32, INT64, FLOAT64 -> value + " != " + standard;
            case STRING, UUID, BYTES ->
                    orNull(nullable, value, "!" + value + ".equals(" + standard + ")");
            case RECORDS -> value + " != null";
        };
    }

    private static String orNull(boolean nullable, String value, String condition) {
        return nullable ? "(" + value + " == null || " + condition + ")" : condition;
    }

    private static long number(String text) {
        return text.isBlank() ? 0 : Long.decode(text.strip());
    }
}
