package io.sluice.kafka.generator;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Turns the text of a schema file, which is JSON with `//` comments, into a [Schema].
///
/// Refuses what it does not know, so that a new feature of the schema language breaks the build and not the codec.
final class SchemaParser {
    private static final Set<String> MESSAGE_KEYS =
            Set.of(
                    "apiKey",
                    "type",
                    "listeners",
                    "name",
                    "validVersions",
                    "flexibleVersions",
                    "latestVersionUnstable",
                    "fields",
                    "commonStructs");
    private static final Set<String> STRUCT_KEYS = Set.of("name", "versions", "about", "fields");
    private static final Set<String> FIELD_KEYS =
            Set.of(
                    "name",
                    "type",
                    "versions",
                    "nullableVersions",
                    "taggedVersions",
                    "tag",
                    "flexibleVersions",
                    "default",
                    "ignorable",
                    "about",
                    "fields",
                    "mapKey",
                    "entityType",
                    "zeroCopy");

    private final JsonMapper json =
            JsonMapper.builder().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();

    Schema parse(String text) {
        JsonNode root = json.readTree(text);
        refuseUnknown(root, MESSAGE_KEYS);
        String name = required(root, "name");
        Map<String, StructSchema> structs = new LinkedHashMap<>();
        for (JsonNode common : root.path("commonStructs")) {
            refuseUnknown(common, STRUCT_KEYS);
            addStruct(structs, required(common, "name"), common.path("fields"));
        }
        List<Field> fields = fields(root.path("fields"), structs);
        List<String> listeners = new ArrayList<>();
        for (JsonNode listener : root.path("listeners")) {
            listeners.add(listener.asString().toUpperCase(Locale.ROOT));
        }
        Schema schema =
                new Schema(
                        Schema.Kind.valueOf(required(root, "type").toUpperCase(Locale.ROOT)),
                        root.path("apiKey").asInt(-1),
                        name,
                        Versions.parse(required(root, "validVersions")),
                        versions(root, "flexibleVersions"),
                        root.path("latestVersionUnstable").asBoolean(false),
                        listeners,
                        new StructSchema(name, fields),
                        structs);
        refuseRecursion(schema, schema.body(), List.of());
        return schema;
    }

    private List<Field> fields(JsonNode nodes, Map<String, StructSchema> structs) {
        List<Field> fields = new ArrayList<>();
        for (JsonNode node : nodes) {
            refuseUnknown(node, FIELD_KEYS);
            FieldType type = FieldType.parse(required(node, "type"));
            if (node.has("fields")) {
                FieldType inner = type instanceof FieldType.Array array ? array.element() : type;
                addStruct(structs, inner.javaName(), node.path("fields"));
            }
            fields.add(
                    new Field(
                            required(node, "name"),
                            type,
                            Versions.parse(required(node, "versions")),
                            versions(node, "nullableVersions"),
                            versions(node, "taggedVersions"),
                            node.path("tag").asInt(-1),
                            node.has("flexibleVersions")
                                    ? versions(node, "flexibleVersions")
                                    : null,
                            defaultText(node),
                            node.path("ignorable").asBoolean(false),
                            node.path("about").asString("")));
        }
        return fields;
    }

    private void addStruct(Map<String, StructSchema> structs, String name, JsonNode fields) {
        if (structs.put(name, new StructSchema(name, fields(fields, structs))) != null) {
            throw new IllegalArgumentException("struct " + name + " is defined twice");
        }
    }

    private static @Nullable String defaultText(JsonNode node) {
        return node.has("default") ? node.path("default").asString() : null;
    }

    private static Versions versions(JsonNode node, String key) {
        return node.has(key) ? Versions.parse(required(node, key)) : Versions.NONE;
    }

    private static String required(JsonNode node, String key) {
        JsonNode value = node.path(key);
        if (!value.isString()) {
            throw new IllegalArgumentException("no text '" + key + "' in " + node);
        }
        return value.asString();
    }

    private static void refuseUnknown(JsonNode node, Set<String> known) {
        for (String key : node.propertyNames()) {
            if (!known.contains(key)) {
                throw new IllegalArgumentException("unknown key '" + key + "' in " + node);
            }
        }
    }

    /// Without recursion the depth of a message is the depth of its schema, whatever the wire says.
    private static void refuseRecursion(Schema schema, StructSchema struct, List<String> path) {
        if (path.contains(struct.name())) {
            throw new IllegalArgumentException(schema.name() + " is recursive: " + path);
        }
        List<String> longer = new ArrayList<>(path);
        longer.add(struct.name());
        for (Field field : struct.fields()) {
            FieldType type = field.type();
            while (type instanceof FieldType.Array array) {
                type = array.element();
            }
            if (type instanceof FieldType.Struct inner) {
                refuseRecursion(schema, schema.struct(inner.name()), longer);
            }
        }
    }
}
