package io.sluice.kafka.generator;

import java.util.List;

/// A named list of fields. Immutable.
record StructSchema(String name, List<Field> fields) {
    StructSchema {
        fields = List.copyOf(fields);
    }
}
