package io.sluice.kafka.generator;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Prints the Java file of one message: a record, with a nested record for each struct in it.
final class MessageSource {
    static final String PACKAGE = "io.sluice.kafka.wire.message";

    private final Schema schema;
    private final Layout layout;
    private final ReadSource read;
    private final WriteSource write;
    private final BuilderSource builder = new BuilderSource();
    private final Set<String> defaultStructs = new TreeSet<>();

    MessageSource(Schema schema) {
        this.schema = schema;
        this.layout = new Layout(schema);
        this.read = new ReadSource(schema, layout);
        this.write = new WriteSource(schema, layout);
        noteDefaults(schema.body());
        schema.structs().values().forEach(this::noteDefaults);
    }

    /// Structs that stand as the default of a field need an instance to stand there.
    private void noteDefaults(StructSchema struct) {
        for (Field field : struct.fields()) {
            if (field.type() instanceof FieldType.Struct inner && !Defaults.isNull(field)) {
                defaultStructs.add(inner.name());
            }
        }
    }

    String print() {
        SourceText body = new SourceText();
        printRecord(body, schema.body(), " implements " + interfaceName());
        String text = body.toString();
        SourceText file = new SourceText();
        file.line(
                "// Generated from %s.json of kafka-clients; edit the generator instead."
                        .formatted(schema.name()));
        file.line("package " + PACKAGE + ";");
        file.line("");
        for (String type :
                List.of(
                        "io.sluice.kafka.wire.ApiRequest",
                        "io.sluice.kafka.wire.ApiResponse",
                        "io.sluice.kafka.wire.UnsupportedVersion",
                        "io.sluice.kafka.wire.WireList",
                        "io.sluice.kafka.wire.WireMessage",
                        "io.sluice.kafka.wire.WireReader",
                        "io.sluice.kafka.wire.WireWriter",
                        "io.sluice.record.Records",
                        "java.nio.ByteBuffer",
                        "java.util.List",
                        "java.util.UUID",
                        "org.jspecify.annotations.Nullable")) {
            String simple = type.substring(type.lastIndexOf('.') + 1);
            if (text.matches("(?s).*\\b" + simple + "\\b.*")) {
                file.line("import " + type + ";");
            }
        }
        file.line("");
        return file + text;
    }

    private String interfaceName() {
        return switch (schema.kind()) {
            case REQUEST -> "ApiRequest";
            case RESPONSE -> "ApiResponse";
            case HEADER, DATA -> "WireMessage";
        };
    }

    private void printRecord(SourceText source, StructSchema struct, String suffix) {
        boolean isMessage = schema.isBody(struct);
        source.line(
                "/// %s, versions %s. Immutable."
                        .formatted(describe(struct, isMessage), range(struct)));
        source.line("public record %s(".formatted(struct.name()));
        int last = struct.fields().size() - 1;
        for (int i = 0; i <= last; i++) {
            Field field = struct.fields().get(i);
            source.line("        // " + field.about().replaceAll("\\s+", " "));
            source.line(
                    "        %s %s%s"
                            .formatted(field.javaType(), field.javaName(), i == last ? "" : ","));
        }
        source.line(")" + suffix + " {");
        if (isMessage) {
            source.line(
                    "public static final short LOWEST_VERSION = %d;"
                            .formatted(schema.versions().lowest()));
            source.line(
                    "public static final short HIGHEST_VERSION = %d;"
                            .formatted(schema.versions().highest()));
            source.line("");
        } else if (defaultStructs.contains(struct.name())) {
            source.line("static final %s DEFAULT = builder().build();".formatted(struct.name()));
            source.line("");
        }
        builder.print(source, struct);
        source.line("");
        if (isMessage && schema.apiKey() >= 0) {
            source.line("@Override");
            source.line("public short apiKey() {");
            source.line("return %d;".formatted(schema.apiKey()));
            source.line("}");
            source.line("");
        }
        read.print(source, struct);
        source.line("");
        write.print(source, struct);
        if (isMessage) {
            for (StructSchema nested : schema.structs().values()) {
                source.line("");
                printRecord(source, nested, "");
            }
        }
        source.line("}");
    }

    private String describe(StructSchema struct, boolean isMessage) {
        return isMessage
                ? "The message " + struct.name()
                : "Part of " + schema.name() + ": " + struct.name();
    }

    private String range(StructSchema struct) {
        Versions versions = layout.versionsOf(struct);
        return versions.lowest() + " to " + versions.highest();
    }

    static void printVersionCheck(SourceText source, Schema schema) {
        source.line("if (version < LOWEST_VERSION || version > HIGHEST_VERSION) {");
        source.line(
                "throw UnsupportedVersion.ofMessage(%s, version, LOWEST_VERSION, HIGHEST_VERSION);"
                        .formatted(SourceText.literal(schema.name())));
        source.line("}");
    }
}
