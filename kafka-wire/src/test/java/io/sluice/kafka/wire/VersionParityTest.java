package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.kafka.wire.message.DeleteTopicsResponse;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.MetadataRequest;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Type;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What happens to a field in a version that has no place for it: dropped or refused, exactly as Kafka decides.
class VersionParityTest {
    private static final String REFUSED = "refused";

    @Test
    void aFieldThatAVersionLacksIsDroppedOrRefusedAsKafkaDoes() {
        int refused = 0;
        int dropped = 0;
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            for (Record variant : variants(message.ours(), message.schema(), Kind.ABSENT)) {
                boolean isRefused = compare(message, variant);
                refused += isRefused ? 1 : 0;
                dropped += isRefused ? 0 : 1;
            }
        }
        System.out.printf("oracle: of absent fields %d refused, %d dropped%n", refused, dropped);
        assertThat(refused).isGreaterThan(100);
        assertThat(dropped).isGreaterThan(100);
    }

    @Test
    void nullWhereAVersionAllowsNoneIsRefusedAsKafkaDoes() {
        int refused = 0;
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            for (Record variant : variants(message.ours(), message.schema(), Kind.NULL)) {
                refused += compare(message, variant) ? 1 : 0;
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void aRefusalNamesMessageFieldAndVersion() {
        FetchRequest request = FetchRequest.builder().replicaId(3).build();
        assertThatThrownBy(() -> request.write(new WireWriter(), (short) 15))
                .isInstanceOf(UnsupportedVersion.class)
                .hasMessageContainingAll("FetchRequest", "replicaId", "15");
        MetadataRequest all = MetadataRequest.builder().topics(null).build();
        assertThatThrownBy(() -> all.write(new WireWriter(), (short) 0))
                .isInstanceOf(UnsupportedVersion.class)
                .hasMessageContainingAll("MetadataRequest", "topics", "0", "null");
    }

    @Test
    void aVersionOutsideOfTheSchemaIsRefused() {
        WireReader in = new WireReader(ByteBuffer.allocate(100));
        assertThatThrownBy(() -> FetchRequest.read(in, (short) 3))
                .isInstanceOf(UnsupportedVersion.class)
                .hasMessage("FetchRequest has no version 3, only 4 to 18");
        assertThatThrownBy(
                        () ->
                                DeleteTopicsResponse.builder()
                                        .build()
                                        .write(new WireWriter(), (short) 99))
                .isInstanceOf(UnsupportedVersion.class)
                .hasMessageContaining("99");
    }

    private static boolean compare(KafkaMessage message, Record variant) {
        Object kafkas =
                outcome(
                        () ->
                                message.encodedByKafka(
                                        KafkaMirror.of(variant, message.kafka().get())));
        Object ours = outcome(() -> message.encodedByUs(variant));
        assertThat(ours).as(message.name() + " " + variant).isEqualTo(kafkas);
        return ours.equals(REFUSED);
    }

    private static Object outcome(Supplier<byte[]> encode) {
        try {
            return Bytes.hex(encode.get());
        } catch (UnsupportedVersion | UnsupportedVersionException | NullPointerException e) {
            return REFUSED;
        }
    }

    private enum Kind {
        /// A component that the version has no field for holds something.
        ABSENT,
        /// A component that the version has a field for is null.
        NULL
    }

    /// Messages that differ from the default in one component, at any depth.
    private static <T extends Record> List<T> variants(Class<T> type, Schema schema, Kind kind) {
        List<T> variants = new ArrayList<>();
        for (RecordComponent component : OurRecords.components(type)) {
            Type present = OurRecords.findType(schema, component);
            if (present == null) {
                if (kind == Kind.ABSENT) {
                    variants.add(with(type, component, other(type, component)));
                }
                continue;
            }
            if (kind == Kind.NULL && isNullable(component)) {
                variants.add(with(type, component, null));
            }
            Class<? extends Record> inner = OurRecords.recordType(component);
            if (inner != null) {
                Type innerSchema = present.isArray() ? present.arrayElementType().get() : present;
                for (Record nested : variants(inner, (Schema) innerSchema, kind)) {
                    boolean isList = component.getType() == List.class;
                    variants.add(with(type, component, isList ? List.of(nested) : nested));
                }
            }
        }
        return variants;
    }

    private static <T extends Record> T with(
            Class<T> type, RecordComponent component, @Nullable Object value) {
        Map<RecordComponent, @Nullable Object> values = new HashMap<>();
        values.put(component, value);
        return OurRecords.build(type, values);
    }

    private static boolean isNullable(RecordComponent component) {
        return component.getAnnotatedType().isAnnotationPresent(Nullable.class);
    }

    /// Something else than the default.
    private static Object other(Class<? extends Record> type, RecordComponent component) {
        Record defaults = OurRecords.build(type, Map.of());
        Class<?> wanted = component.getType();
        if (wanted == boolean.class) {
            return !(boolean) OurRecords.valueOf(defaults, component);
        }
        if (wanted == List.class) {
            return List.of(sample(OurRecords.elementType(component)));
        }
        if (wanted.isRecord()) {
            Class<? extends Record> inner = wanted.asSubclass(Record.class);
            RecordComponent first = OurRecords.components(inner).getFirst();
            return with(inner, first, other(inner, first));
        }
        return sample(wanted);
    }

    private static Object sample(Class<?> type) {
        if (type.isRecord()) {
            return OurRecords.build(type.asSubclass(Record.class), Map.of());
        }
        return switch (type.getSimpleName()) {
            case "byte", "Byte" -> (byte) 77;
            case "short", "Short" -> (short) 777;
            case "int", "Integer" -> 77_777;
            case "long", "Long" -> 7_777_777_777L;
            case "double", "Double" -> 7.7;
            case "String" -> "seven";
            case "UUID" -> new UUID(7, 77);
            case "ByteBuffer" -> ByteBuffer.wrap(new byte[] {7});
            default -> throw new AssertionError(type.toString());
        };
    }
}
