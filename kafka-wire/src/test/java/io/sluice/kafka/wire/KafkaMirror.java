package io.sluice.kafka.wire;

import io.sluice.record.Records;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/// Copies one of our records into the object that kafka-clients has for the same message, setter by setter.
final class KafkaMirror {
    /// By the name of the component: `topics` for `setTopics`.
    private static final ClassValue<Map<String, Method>> SETTERS =
            new ClassValue<>() {
                @Override
                protected Map<String, Method> computeValue(Class<?> type) {
                    Map<String, Method> setters = new HashMap<>();
                    for (Method method : type.getMethods()) {
                        String name = method.getName();
                        if (name.startsWith("set")) {
                            String first = name.substring(3, 4).toLowerCase(Locale.ROOT);
                            setters.put(first + name.substring(4), method);
                        }
                    }
                    return setters;
                }
            };

    private KafkaMirror() {}

    static Message of(Record ours, Message empty) {
        fill(ours, empty);
        return empty;
    }

    private static void fill(Record ours, Object kafka) {
        for (RecordComponent component : OurRecords.components(ours.getClass())) {
            Method setter = SETTERS.get(kafka.getClass()).get(component.getName());
            if (setter == null) {
                throw new AssertionError(kafka.getClass() + " cannot set " + component);
            }
            try {
                Object value = OurRecords.valueOf(ours, component);
                setter.invoke(kafka, value(value, setter.getGenericParameterTypes()[0]));
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(setter.toString(), e);
            }
        }
    }

    private static @Nullable Object value(@Nullable Object ours, Type wanted)
            throws ReflectiveOperationException {
        return switch (ours) {
            case null -> null;
            case List<?> list -> collection(list, wanted);
            case Record struct when !(ours instanceof Records) -> {
                Object kafka = create((Class<?>) wanted);
                fill(struct, kafka);
                yield kafka;
            }
            case UUID uuid ->
                    new Uuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
            case ByteBuffer buffer -> {
                if (wanted == ByteBuffer.class) {
                    yield buffer.duplicate();
                }
                byte[] bytes = new byte[buffer.remaining()];
                buffer.duplicate().get(bytes);
                yield bytes;
            }
            case Records.InMemory records ->
                    MemoryRecords.readableRecords(records.buffer().slice());
            default -> ours;
        };
    }

    private static Collection<Object> collection(List<?> ours, Type wanted)
            throws ReflectiveOperationException {
        Collection<Object> kafka;
        Type element;
        if (wanted instanceof ParameterizedType list) {
            kafka = new ArrayList<>();
            element = list.getActualTypeArguments()[0];
        } else {
            // One of the collections with a map inside, FooCollection extends
            // ImplicitLinkedHashMultiCollection<Foo>.
            Class<?> type = (Class<?>) wanted;
            @SuppressWarnings("unchecked") // A collection of what its superclass is declared with.
            Collection<Object> created = (Collection<Object>) create(type);
            kafka = created;
            element = ((ParameterizedType) type.getGenericSuperclass()).getActualTypeArguments()[0];
        }
        for (Object item : ours) {
            Object copy = value(item, element);
            if (copy == null || !kafka.add(copy)) {
                throw new AssertionError("cannot add " + item);
            }
        }
        return kafka;
    }

    private static Object create(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getConstructor();
        return constructor.newInstance();
    }
}
