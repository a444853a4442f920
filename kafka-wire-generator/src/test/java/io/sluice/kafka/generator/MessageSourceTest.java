package io.sluice.kafka.generator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The whole text for one small schema that has every feature once, kept beside this test to be read.
class MessageSourceTest {
    @Test
    void theSourceIsTheOneThatWasReviewed() throws IOException {
        Schema schema = new SchemaParser().parse(resource("LampRequest.json"));
        assertThat(new MessageSource(schema).print()).isEqualTo(resource("LampRequest.java.txt"));
    }

    @Test
    void defaultsFollowTheRulesOfTheSchemas() {
        assertThat(defaultOf("int32", null)).isEqualTo("0");
        assertThat(defaultOf("int32", "0x7fffffff")).isEqualTo("2147483647");
        assertThat(defaultOf("int16", "-1")).isEqualTo("(short) -1");
        assertThat(defaultOf("int64", "9223372036854775807")).isEqualTo("9223372036854775807L");
        assertThat(defaultOf("bool", "true")).isEqualTo("true");
        assertThat(defaultOf("string", null)).isEqualTo("\"\"");
        assertThat(defaultOf("string", "null")).isEqualTo("null");
        assertThat(defaultOf("string", "a\"b")).isEqualTo("\"a\\\"b\"");
        assertThat(defaultOf("uuid", null)).isEqualTo("WireMessage.ZERO_UUID");
        assertThat(defaultOf("bytes", null)).isEqualTo("WireMessage.EMPTY_BYTES");
        assertThat(defaultOf("records", null)).isEqualTo("null");
        assertThat(defaultOf("[]int32", null)).isEqualTo("List.of()");
        assertThat(defaultOf("[]int32", "null")).isEqualTo("null");
        assertThat(defaultOf("Lamp", null)).isEqualTo("Lamp.DEFAULT");
    }

    private static String defaultOf(String type, @Nullable String text) {
        Versions all = Versions.parse("0+");
        return Defaults.value(
                new Field(
                        "Value",
                        FieldType.parse(type),
                        all,
                        all,
                        Versions.NONE,
                        -1,
                        null,
                        text,
                        false,
                        ""));
    }

    private static String resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(MessageSourceTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
