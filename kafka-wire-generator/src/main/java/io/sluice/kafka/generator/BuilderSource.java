package io.sluice.kafka.generator;

/// Prints the builder of a struct: every field at its default until it is set.
final class BuilderSource {
    void print(SourceText source, StructSchema struct) {
        source.line("/// Every field at its default.");
        source.line("public static Builder builder() {");
        source.line("return new Builder();");
        source.line("}");
        source.line("");
        source.line("/// Sets what differs from the defaults. Owned by whoever made it.");
        source.line("public static final class Builder {");
        for (Field field : struct.fields()) {
            source.line(
                    "private %s %s = %s;"
                            .formatted(field.javaType(), field.javaName(), Defaults.value(field)));
        }
        source.line("");
        source.line("private Builder() {}");
        StringBuilder arguments = new StringBuilder();
        for (Field field : struct.fields()) {
            arguments.append(arguments.length() == 0 ? "" : ", ").append(field.javaName());
            source.line("");
            source.line(
                    "public Builder %s(%s %s) {"
                            .formatted(field.javaName(), field.javaType(), field.javaName()));
            source.line("this.%s = %s;".formatted(field.javaName(), field.javaName()));
            source.line("return this;");
            source.line("}");
        }
        source.line("");
        source.line("public %s build() {".formatted(struct.name()));
        source.line("return new %s(%s);".formatted(struct.name(), arguments));
        source.line("}");
        source.line("}");
    }
}
