package io.sluice.kafka.generator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// One message as its schema file describes it. Immutable.
///
/// @param apiKey the number of its API, -1 for headers and data
/// @param body the fields of the message itself
/// @param structs every struct used inside it, by name
record Schema(
        Kind kind,
        int apiKey,
        String name,
        Versions versions,
        Versions flexible,
        boolean latestUnstable,
        List<String> listeners,
        StructSchema body,
        Map<String, StructSchema> structs) {

    enum Kind {
        REQUEST,
        RESPONSE,
        HEADER,
        DATA
    }

    Schema {
        listeners = List.copyOf(listeners);
        structs = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(structs));
    }

    StructSchema struct(String structName) {
        StructSchema struct = structs.get(structName);
        if (struct == null) {
            throw new IllegalArgumentException(name + " uses unknown struct " + structName);
        }
        return struct;
    }

    /// Whether it is the message itself and not a part of it.
    boolean isBody(StructSchema struct) {
        return struct.name().equals(name);
    }

    /// The API's name in upper case with underscores, as in `LIST_OFFSETS`.
    String apiName() {
        String plain = name.substring(0, name.length() - "Request".length());
        return plain.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toUpperCase(java.util.Locale.ROOT);
    }
}
