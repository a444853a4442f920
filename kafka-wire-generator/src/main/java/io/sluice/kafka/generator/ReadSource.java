package io.sluice.kafka.generator;

/// Prints the `read` method of a struct and the methods that read its arrays.
///
/// Each field becomes a local variable, in the order of the wire; then come the tagged fields; then the record is made.
final class ReadSource {
    private final Schema schema;
    private final Layout layout;

    ReadSource(Schema schema, Layout layout) {
        this.schema = schema;
        this.layout = layout;
    }

    void print(SourceText source, StructSchema struct) {
        Versions versions = layout.versionsOf(struct);
        source.line(
                "public static %s read(WireReader in, short version) {".formatted(struct.name()));
        if (schema.isBody(struct)) {
            MessageSource.printVersionCheck(source, schema);
        }
        String flexible = schema.flexible().conditionAmong(versions);
        if (isOpen(flexible)) {
            source.line("boolean flexible = %s;".formatted(flexible));
        }
        for (Field field : struct.fields()) {
            printField(source, struct, field, versions);
        }
        if (!flexible.equals("false")) {
            printTags(source, struct, versions, flexible);
        }
        StringBuilder arguments = new StringBuilder();
        for (Field field : struct.fields()) {
            arguments.append(arguments.length() == 0 ? "" : ", ").append(field.localName());
        }
        source.line("return new %s(%s);".formatted(struct.name(), arguments));
        source.line("}");
        for (Field field : struct.fields()) {
            if (field.type() instanceof FieldType.Array array) {
                printArray(source, struct, field, array.element());
            }
        }
    }

    private void printField(
            SourceText source, StructSchema struct, Field field, Versions versions) {
        String present = field.inOrder().conditionAmong(versions);
        String value =
                switch (present) {
                    case "true" -> expression(struct, field, field.inOrder().and(versions));
                    case "false" -> Defaults.value(field);
                    default ->
                            present
                                    + " ? "
                                    + expression(struct, field, field.inOrder().and(versions))
                                    + " : "
                                    + Defaults.value(field);
                };
        source.line("%s %s = %s;".formatted(field.javaType(), field.localName(), value));
    }

    private void printTags(
            SourceText source, StructSchema struct, Versions versions, String flexible) {
        Versions flexibleVersions = schema.flexible().and(versions);
        boolean known = struct.fields().stream().anyMatch(f -> !f.tagged().and(versions).isEmpty());
        if (isOpen(flexible)) {
            source.line("if (flexible) {");
        }
        if (known) {
            source.line("int tags = in.readTagCount();");
            source.line("for (int i = 0; i < tags; i++) {");
            source.line("int tag = in.readUnsignedVarint();");
            source.line("int outer = in.enterTaggedField();");
            source.line("switch (tag) {");
            for (Field field : struct.fields()) {
                printTag(source, struct, field, flexibleVersions);
            }
            source.line("default -> in.skipTaggedField();");
            source.line("}");
            source.line("in.leaveTaggedField(outer);");
            source.line("}");
        } else {
            source.line("in.skipTaggedFields();");
        }
        if (isOpen(flexible)) {
            source.line("}");
        }
    }

    private void printTag(SourceText source, StructSchema struct, Field field, Versions versions) {
        Versions tagged = field.tagged().and(versions);
        if (tagged.isEmpty()) {
            return;
        }
        String condition = tagged.conditionAmong(versions);
        source.line("case %d -> {".formatted(field.tag()));
        if (isOpen(condition)) {
            source.line("if (%s) {".formatted(condition));
        }
        source.line("%s = %s;".formatted(field.localName(), expression(struct, field, tagged)));
        if (isOpen(condition)) {
            source.line("} else {");
            source.line("in.skipTaggedField();");
            source.line("}");
        }
        source.line("}");
    }

    /// An expression that reads a value of the field in versions in which it is there.
    private String expression(StructSchema struct, Field field, Versions versions) {
        String nullable = field.nullable().conditionAmong(versions);
        if (field.type() instanceof FieldType.Array) {
            return "read" + capitalized(field) + "(in, version)";
        }
        String label = SourceText.literal(struct.name() + "." + field.javaName());
        if (field.type() instanceof FieldType.Struct inner) {
            int size = layout.heapSize(schema.struct(inner.name()));
            String read = "%s.read(in.charge(%d), version)".formatted(inner.name(), size);
            return switch (nullable) {
                case "true" -> "(in.readPresence(%s) ? %s : null)".formatted(label, read);
                case "false" -> read;
                default -> throw partlyNullable(struct, field);
            };
        }
        FieldType.Scalar scalar = (FieldType.Scalar) field.type();
        if (!scalar.hasLength()) {
            return "in.read" + scalar.accessor() + "()";
        }
        String arguments = "(" + compact(field, versions) + ", " + label + ")";
        String plain = "in.read" + scalar.accessor() + arguments;
        String orNull = "in.readNullable" + scalar.accessor() + arguments;
        return switch (nullable) {
            case "true" -> orNull;
            case "false" -> plain;
            default -> "(" + nullable + " ? " + orNull + " : " + plain + ")";
        };
    }

    private void printArray(
            SourceText source, StructSchema struct, Field field, FieldType element) {
        Versions versions = field.versions().and(layout.versionsOf(struct));
        if (versions.isEmpty()) {
            return;
        }
        String nullable = field.nullable().conditionAmong(versions);
        String flexible = schema.flexible().conditionAmong(versions);
        String arguments =
                "(%s, %s, %d, %s)"
                        .formatted(
                                flexible,
                                layout.minimumWireSize(element, versions),
                                layout.elementHeapSize(element),
                                SourceText.literal(struct.name() + "." + field.javaName()));
        String count =
                switch (nullable) {
                    case "true" -> "in.readNullableCount" + arguments;
                    case "false" -> "in.readCount" + arguments;
                    default ->
                            "%s ? in.readNullableCount%s : in.readCount%s"
                                    .formatted(nullable, arguments, arguments);
                };
        String type = element.boxedName();
        source.line("");
        source.line(
                "private static %s read%s(WireReader in, short version) {"
                        .formatted(field.javaType(), capitalized(field)));
        source.line("int count = %s;".formatted(count));
        source.line("if (count <= 0) {");
        source.line(
                "return %s;"
                        .formatted(
                                nullable.equals("false")
                                        ? "List.of()"
                                        : "count < 0 ? null : List.of()"));
        source.line("}");
        source.line("%s[] items = new %s[count];".formatted(type, type));
        source.line("for (int i = 0; i < count; i++) {");
        source.line(
                "items[i] = %s;".formatted(elementExpression(struct, field, element, flexible)));
        source.line("}");
        source.line("return WireList.of(items);");
        source.line("}");
    }

    private static String elementExpression(
            StructSchema struct, Field field, FieldType element, String flexible) {
        if (element instanceof FieldType.Struct inner) {
            return inner.name() + ".read(in, version)";
        }
        if (!(element instanceof FieldType.Scalar scalar)) {
            throw new IllegalArgumentException(
                    "array of arrays in " + struct.name() + "." + field.name());
        }
        if (!scalar.hasLength()) {
            return "in.read" + scalar.accessor() + "()";
        }
        String label = SourceText.literal(struct.name() + "." + field.javaName());
        return "in.read%s(%s, %s)".formatted(scalar.accessor(), flexible, label);
    }

    /// Whether lengths of the field are compact, as a Java expression.
    private String compact(Field field, Versions versions) {
        Versions flexible = field.flexible();
        String condition =
                (flexible == null ? schema.flexible() : flexible).conditionAmong(versions);
        return isOpen(condition) && flexible == null ? "flexible" : condition;
    }

    static IllegalArgumentException partlyNullable(StructSchema struct, Field field) {
        return new IllegalArgumentException(
                struct.name() + "." + field.name() + ": a struct nullable in some versions only");
    }

    /// Whether a condition depends on the version at run time.
    static boolean isOpen(String condition) {
        return !condition.equals("true") && !condition.equals("false");
    }

    private static String capitalized(Field field) {
        return Character.toUpperCase(field.name().charAt(0)) + field.name().substring(1);
    }
}
