package io.sluice.kafka.generator;

/// The type of a field in a schema. Immutable.
sealed interface FieldType {
    /// As it is written in Java.
    String javaName();

    /// As it is written in Java inside of `List<>`.
    default String boxedName() {
        return javaName();
    }

    static FieldType parse(String text) {
        if (text.startsWith("[]")) {
            return new Array(parse(text.substring(2)));
        }
        for (Scalar scalar : Scalar.values()) {
            if (scalar.schemaName.equals(text)) {
                return scalar;
            }
        }
        if (!Character.isUpperCase(text.charAt(0))) {
            throw new IllegalArgumentException("unknown type '" + text + "' in a schema");
        }
        return new Struct(text);
    }

    /// A type with no parts of its own.
    ///
    /// The sizes in bytes: on the wire at least (flexible versions, others), as a field of an object, and boxed in a
    /// list, the reference included; strings and the like are charged when they are read.
    enum Scalar implements FieldType {
        BOOL("bool", "boolean", "Boolean", "Boolean", new int[] {1, 1, 1, 4}),
        INT8("int8", "byte", "Byte", "Byte", new int[] {1, 1, 1, 4}),
        INT16("int16", "short", "Short", "Short", new int[] {2, 2, 2, 20}),
        UINT16("uint16", "int", "Integer", "UnsignedShort", new int[] {2, 2, 4, 20}),
        INT32("int32", "int", "Integer", "Int", new int[] {4, 4, 4, 20}),
        UINT32("uint32", "long", "Long", "UnsignedInt", new int[] {4, 4, 8, 28}),
        INT64("int64", "long", "Long", "Long", new int[] {8, 8, 8, 28}),
        FLOAT64("float64", "double", "Double", "Double", new int[] {8, 8, 8, 28}),
        UUID("uuid", "UUID", "UUID", "Uuid", new int[] {16, 16, 4, 4}),
        STRING("string", "String", "String", "String", new int[] {1, 2, 4, 4}),
        BYTES("bytes", "ByteBuffer", "ByteBuffer", "Bytes", new int[] {1, 4, 4, 4}),
        RECORDS("records", "Records", "Records", "Records", new int[] {1, 4, 4, 4});

        private final String schemaName;
        private final String javaName;
        private final String boxedName;
        private final String accessor;
        private final int flexibleWireSize;
        private final int wireSize;
        private final int fieldSize;
        private final int elementSize;

        Scalar(String schemaName, String javaName, String boxedName, String accessor, int[] sizes) {
            this.schemaName = schemaName;
            this.javaName = javaName;
            this.boxedName = boxedName;
            this.accessor = accessor;
            this.flexibleWireSize = sizes[0];
            this.wireSize = sizes[1];
            this.fieldSize = sizes[2];
            this.elementSize = sizes[3];
        }

        @Override
        public String javaName() {
            return javaName;
        }

        @Override
        public String boxedName() {
            return boxedName;
        }

        /// What follows `read` and `write` in the names of the methods of reader and writer.
        String accessor() {
            return accessor;
        }

        int wireSize(boolean flexible) {
            return flexible ? flexibleWireSize : wireSize;
        }

        int fieldSize() {
            return fieldSize;
        }

        int elementSize() {
            return elementSize;
        }

        /// Whether the wire states a length in front of it.
        boolean hasLength() {
            return this == STRING || this == BYTES || this == RECORDS;
        }

        boolean isNumber() {
            return switch (this) {
                case INT8, INT16, UINT16, INT32, UINT32, INT64 -> true;
                case BOOL, FLOAT64, UUID, STRING, BYTES, RECORDS -> false;
            };
        }
    }

    /// A struct of the same message.
    record Struct(String name) implements FieldType {
        @Override
        public String javaName() {
            return name;
        }
    }

    /// Any number of elements of one type.
    record Array(FieldType element) implements FieldType {
        @Override
        public String javaName() {
            return "List<" + element.boxedName() + ">";
        }
    }
}
