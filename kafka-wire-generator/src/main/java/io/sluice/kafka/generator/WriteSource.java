package io.sluice.kafka.generator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Prints the `write` method of a struct.
final class WriteSource {
    private final Schema schema;
    private final Layout layout;

    WriteSource(Schema schema, Layout layout) {
        this.schema = schema;
        this.layout = layout;
    }

    void print(SourceText source, StructSchema struct) {
        Versions versions = layout.versionsOf(struct);
        boolean isMessage = schema.isBody(struct);
        if (isMessage) {
            source.line("@Override");
        }
        source.line("public void write(WireWriter out, short version) {");
        if (isMessage) {
            MessageSource.printVersionCheck(source, schema);
        }
        String flexible = schema.flexible().conditionAmong(versions);
        if (ReadSource.isOpen(flexible)) {
            source.line("boolean flexible = %s;".formatted(flexible));
        }
        for (Field field : struct.fields()) {
            printField(source, struct, field, versions);
        }
        if (!flexible.equals("false")) {
            printTags(source, struct, versions, flexible);
        }
        source.line("}");
    }

    private void printField(
            SourceText source, StructSchema struct, Field field, Versions versions) {
        Versions inOrder = field.inOrder().and(versions);
        String present = inOrder.conditionAmong(versions);
        String lossy = lossy(field, versions);
        if (present.equals("true")) {
            printValue(source, struct, field, inOrder, "out");
            return;
        }
        if (!inOrder.isEmpty()) {
            source.line("if (%s) {".formatted(present));
            printValue(source, struct, field, inOrder, "out");
            source.line("}" + (lossy.isEmpty() ? "" : " else if (" + lossy + ") {"));
        } else if (!lossy.isEmpty()) {
            source.line("if (%s) {".formatted(lossy));
        }
        if (!lossy.isEmpty()) {
            source.line(
                    "throw UnsupportedVersion.ofField(%s, %s, version);"
                            .formatted(
                                    SourceText.literal(struct.name()),
                                    SourceText.literal(field.javaName())));
            source.line("}");
        }
    }

    /// A condition for a value that this version cannot carry and that must not be lost silently; empty if there is none.
    private static String lossy(Field field, Versions versions) {
        String exists = field.versions().conditionAmong(versions);
        if (field.ignorable() || exists.equals("true")) {
            return "";
        }
        String isSet = Defaults.isSet(field, field.memberName());
        boolean settled = field.tagged().and(versions).isEmpty() || exists.equals("false");
        return settled ? isSet : "!(" + exists + ") && " + isSet;
    }

    private void printTags(
            SourceText source, StructSchema struct, Versions versions, String flexible) {
        Versions flexibleVersions = schema.flexible().and(versions);
        List<Field> tagged = new ArrayList<>();
        for (Field field : struct.fields()) {
            if (!field.tagged().and(flexibleVersions).isEmpty()) {
                tagged.add(field);
            }
        }
        tagged.sort(Comparator.comparingInt(Field::tag));
        if (ReadSource.isOpen(flexible)) {
            source.line("if (flexible) {");
        }
        if (tagged.isEmpty()) {
            source.line("out.writeUnsignedVarint(0);");
        } else {
            source.line("int tags = 0;");
            for (Field field : tagged) {
                source.line("if (%s) {".formatted(hasTag(field, flexibleVersions)));
                source.line("tags++;");
                source.line("}");
            }
            source.line("out.writeUnsignedVarint(tags);");
            for (Field field : tagged) {
                printTag(source, struct, field, flexibleVersions);
            }
        }
        if (ReadSource.isOpen(flexible)) {
            source.line("}");
        }
    }

    private static String hasTag(Field field, Versions versions) {
        String condition = field.tagged().conditionAmong(versions);
        String isSet = Defaults.isSet(field, field.memberName());
        return condition.equals("true") ? isSet : condition + " && " + isSet;
    }

    private void printTag(SourceText source, StructSchema struct, Field field, Versions versions) {
        source.line("if (%s) {".formatted(hasTag(field, versions)));
        source.line("WireWriter value = out.beginTaggedField();");
        printValue(source, struct, field, field.tagged().and(versions), "value");
        source.line("out.endTaggedField(%d, value);".formatted(field.tag()));
        source.line("}");
    }

    /// Writes the field in versions in which it is there.
    private void printValue(
            SourceText source, StructSchema struct, Field field, Versions versions, String out) {
        String value = field.memberName();
        String nullable = field.nullable().conditionAmong(versions);
        if (field.isNullable() && !nullable.equals("true")) {
            String isNull = value + " == null";
            source.line(
                    "if (%s) {"
                            .formatted(
                                    nullable.equals("false")
                                            ? isNull
                                            : isNull + " && !(" + nullable + ")"));
            source.line(
                    "throw UnsupportedVersion.ofNull(%s, %s, version);"
                            .formatted(
                                    SourceText.literal(struct.name()),
                                    SourceText.literal(field.javaName())));
            source.line("}");
        }
        boolean mayBeNull = !nullable.equals("false");
        String compact = compact(field, versions);
        if (field.type() instanceof FieldType.Array array) {
            printArray(source, array.element(), value, mayBeNull, compact, out);
        } else if (field.type() instanceof FieldType.Struct) {
            if (ReadSource.isOpen(nullable)) {
                throw ReadSource.partlyNullable(struct, field);
            }
            printStruct(source, value, mayBeNull, out);
        } else {
            source.line(scalar((FieldType.Scalar) field.type(), value, mayBeNull, compact, out));
        }
    }

    private static void printStruct(
            SourceText source, String value, boolean mayBeNull, String out) {
        if (!mayBeNull) {
            source.line("%s.write(%s, version);".formatted(value, out));
            return;
        }
        source.line("if (%s == null) {".formatted(value));
        source.line("%s.writeByte((byte) -1);".formatted(out));
        source.line("} else {");
        source.line("%s.writeByte((byte) 1);".formatted(out));
        source.line("%s.write(%s, version);".formatted(value, out));
        source.line("}");
    }

    private static void printArray(
            SourceText source,
            FieldType element,
            String value,
            boolean mayBeNull,
            String compact,
            String out) {
        if (mayBeNull) {
            source.line("if (%s == null) {".formatted(value));
            source.line("%s.writeNullCount(%s);".formatted(out, compact));
            source.line("} else {");
        }
        source.line("%s.writeCount(%s.size(), %s);".formatted(out, value, compact));
        source.line("for (%s item : %s) {".formatted(element.javaName(), value));
        if (element instanceof FieldType.Scalar scalar) {
            source.line(scalar(scalar, "item", false, compact, out));
        } else {
            source.line("item.write(%s, version);".formatted(out));
        }
        source.line("}");
        if (mayBeNull) {
            source.line("}");
        }
    }

    private static String scalar(
            FieldType.Scalar scalar, String value, boolean mayBeNull, String compact, String out) {
        String method = out + ".write" + (mayBeNull ? "Nullable" : "") + scalar.accessor();
        return scalar.hasLength()
                ? "%s(%s, %s);".formatted(method, value, compact)
                : "%s(%s);".formatted(method, value);
    }

    private String compact(Field field, Versions versions) {
        Versions flexible = field.flexible();
        String condition =
                (flexible == null ? schema.flexible() : flexible).conditionAmong(versions);
        return ReadSource.isOpen(condition) && flexible == null ? "flexible" : condition;
    }
}
