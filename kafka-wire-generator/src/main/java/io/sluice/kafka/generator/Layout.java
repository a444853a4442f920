package io.sluice.kafka.generator;

import java.util.HashMap;
import java.util.Map;

/// What follows from a schema about its structs: the versions each occurs in, and the sizes by which counts are bounded.
///
/// Immutable once built.
final class Layout {
    private static final int OBJECT_HEADER = 12;
    private static final int REFERENCE = 4;

    private final Schema schema;
    private final Map<String, Versions> occurring = new HashMap<>();

    Layout(Schema schema) {
        this.schema = schema;
        visit(schema.body(), schema.versions());
    }

    private void visit(StructSchema struct, Versions versions) {
        occurring.merge(struct.name(), versions, Versions::hull);
        for (Field field : struct.fields()) {
            FieldType type = field.type();
            while (type instanceof FieldType.Array array) {
                type = array.element();
            }
            if (type instanceof FieldType.Struct inner) {
                visit(schema.struct(inner.name()), versions.and(field.versions()));
            }
        }
    }

    /// The versions of the message in which a struct occurs.
    Versions versionsOf(StructSchema struct) {
        return occurring.getOrDefault(struct.name(), Versions.NONE);
    }

    /// Bytes that an object of this struct takes, without what its fields refer to.
    int heapSize(StructSchema struct) {
        int size = OBJECT_HEADER;
        for (Field field : struct.fields()) {
            size +=
                    field.type() instanceof FieldType.Scalar scalar
                            ? scalar.fieldSize()
                            : REFERENCE;
        }
        return (size + 7) / 8 * 8;
    }

    /// Bytes that one element takes in memory as soon as the count of its array is known.
    int elementHeapSize(FieldType element) {
        if (element instanceof FieldType.Scalar scalar) {
            return scalar.elementSize();
        }
        if (element instanceof FieldType.Struct struct) {
            return REFERENCE + heapSize(schema.struct(struct.name()));
        }
        return REFERENCE;
    }

    /// A Java expression for the least number of bytes that an element takes on the wire.
    String minimumWireSize(FieldType element, Versions versions) {
        StringBuilder expression = new StringBuilder();
        int version = versions.highest();
        while (true) {
            int size = wireSize(element, version);
            int from = version;
            while (from > versions.lowest() && wireSize(element, from - 1) == size) {
                from--;
            }
            if (from == versions.lowest()) {
                return expression.append(size).toString();
            }
            expression.append("version >= ").append(from).append(" ? ").append(size).append(" : ");
            version = from - 1;
        }
    }

    private int wireSize(FieldType type, int version) {
        boolean flexible = schema.flexible().contains(version);
        if (type instanceof FieldType.Scalar scalar) {
            return scalar.wireSize(flexible);
        }
        if (type instanceof FieldType.Array) {
            return flexible ? 1 : Integer.BYTES;
        }
        StructSchema struct = schema.struct(((FieldType.Struct) type).name());
        int size = flexible ? 1 : 0;
        for (Field field : struct.fields()) {
            if (field.inOrder().contains(version)) {
                boolean mayBeAbsent =
                        field.type() instanceof FieldType.Struct
                                && field.nullable().contains(version);
                size += mayBeAbsent ? 1 : wireSize(field.type(), version);
            }
        }
        return size;
    }
}
