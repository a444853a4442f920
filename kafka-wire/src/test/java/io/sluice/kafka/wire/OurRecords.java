package io.sluice.kafka.wire;

import io.sluice.record.Records;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/// Makes our records by reflection, through the builders that handlers use.
final class OurRecords {
    private static final ClassValue<RecordComponent[]> COMPONENTS =
            new ClassValue<>() {
                @Override
                protected RecordComponent[] computeValue(Class<?> type) {
                    return type.getRecordComponents();
                }
            };

    private OurRecords() {}

    static List<RecordComponent> components(Class<? extends Record> type) {
        return List.of(COMPONENTS.get(type));
    }

    /// A record with the content of one of Kafka's structs, and defaults where that has no field.
    static <T extends Record> T fromStruct(Class<T> type, Struct struct) {
        Map<RecordComponent, @Nullable Object> values = new LinkedHashMap<>();
        for (BoundField field : struct.schema().fields()) {
            if (field.def.type instanceof TaggedFields tagged) {
                Map<?, ?> tags = (Map<?, ?>) struct.get(field);
                for (Map.Entry<Integer, Field> tag : tagged.fields().entrySet()) {
                    if (tags.containsKey(tag.getKey())) {
                        RecordComponent component = component(type, tag.getValue().name);
                        values.put(component, value(component, tags.get(tag.getKey())));
                    }
                }
            } else {
                RecordComponent component = component(type, field.def.name);
                values.put(component, value(component, struct.get(field)));
            }
        }
        return build(type, values);
    }

    /// A record with these components set and all others left at their defaults.
    static <T extends Record> T build(
            Class<T> type, Map<RecordComponent, ? extends @Nullable Object> values) {
        try {
            Object builder = type.getMethod("builder").invoke(null);
            for (Map.Entry<RecordComponent, ? extends @Nullable Object> value : values.entrySet()) {
                RecordComponent component = value.getKey();
                Method setter =
                        builder.getClass().getMethod(component.getName(), component.getType());
                setter.invoke(builder, value.getValue());
            }
            return type.cast(builder.getClass().getMethod("build").invoke(builder));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(type.getName(), e);
        }
    }

    static Object valueOf(Record message, RecordComponent component) {
        try {
            return component.getAccessor().invoke(message);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(component.toString(), e);
        }
    }

    /// The type of Kafka's field with the same name as the component, null if this version has none.
    static @Nullable Type findType(Schema schema, RecordComponent component) {
        for (BoundField field : schema.fields()) {
            if (field.def.type instanceof TaggedFields tagged) {
                for (Field tag : tagged.fields().values()) {
                    if (isSame(component, tag.name)) {
                        return tag.type;
                    }
                }
            } else if (isSame(component, field.def.name)) {
                return field.def.type;
            }
        }
        return null;
    }

    /// The record type inside of a component, be it the component or the element of its list; null if there is none.
    static @Nullable Class<? extends Record> recordType(RecordComponent component) {
        Class<?> type = component.getType();
        if (type == List.class) {
            type = elementType(component);
        }
        return type.isRecord() ? type.asSubclass(Record.class) : null;
    }

    static Class<?> elementType(RecordComponent component) {
        return (Class<?>)
                ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
    }

    private static RecordComponent component(Class<? extends Record> type, String schemaName) {
        for (RecordComponent component : components(type)) {
            if (isSame(component, schemaName)) {
                return component;
            }
        }
        throw new AssertionError(type + " has no component for " + schemaName);
    }

    /// `topic_id` in Kafka's schema is `topicId` in a record.
    private static boolean isSame(RecordComponent component, String schemaName) {
        return component.getName().toLowerCase(Locale.ROOT).equals(schemaName.replace("_", ""));
    }

    private static @Nullable Object value(RecordComponent component, @Nullable Object kafka) {
        return switch (kafka) {
            case null -> null;
            case Object[] items -> {
                List<Object> list = new ArrayList<>();
                for (Object item : items) {
                    list.add(single(elementType(component), item));
                }
                yield list;
            }
            default -> single(component.getType(), kafka);
        };
    }

    private static Object single(Class<?> type, Object kafka) {
        return switch (kafka) {
            case Struct struct -> fromStruct(type.asSubclass(Record.class), struct);
            case Uuid uuid ->
                    new UUID(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
            case ByteBuffer buffer -> buffer.duplicate();
            case MemoryRecords records -> new Records.InMemory(records.buffer());
            default -> kafka;
        };
    }
}
