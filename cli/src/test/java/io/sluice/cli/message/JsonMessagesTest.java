package io.sluice.cli.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.Failure;
import io.sluice.cli.output.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Messages as JSON, in and out.
class JsonMessagesTest {
    @Test
    void everyFieldIsUsed() {
        var record =
                parse(
                        "{\"key\":\"k\",\"value\":\"v\",\"headers\":{\"a\":\"b\"},\"partition\":3,\"timestamp\":\"2026-11-15T08:30:00Z\"}");
        assertThat(text(record.key())).isEqualTo("k");
        assertThat(text(record.value())).isEqualTo("v");
        assertThat(text(record.headers().lastHeader("a").value())).isEqualTo("b");
        assertThat(record.partition()).isEqualTo(3);
        assertThat(record.timestamp()).isEqualTo(1_794_731_400_000L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"value\":{\"id\":1,\"tags\":[\"a\",null]}} | {\"id\":1,\"tags\":[\"a\",null]}",
                "{\"value\":[1,2]} | [1,2]",
                "{\"value\":42} | 42",
                "{\"value\":true} | true",
                "{\"value\":\"\"} | ~~",
                "{\"valueBase64\":\"aGk=\"} | hi"
            })
    void valueThatIsNoTextIsSentAsItsJson(String line, String sent) {
        assertThat(text(parse(line).value())).isEqualTo(sent);
    }

    @Test
    void nullIsATombstone() {
        assertThat(parse("{\"key\":\"k\",\"value\":null}").value()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "hello | Line 7 is no JSON",
                "[1] | Line 7 is no JSON object",
                "{\"key\":\"k\"} | has no value",
                "{\"value\":\"v\",\"colour\":1} | unknown field 'colour'",
                "{\"value\":\"v\",\"headers\":[1]} | headers have to be an object",
                "{\"value\":\"v\",\"timestamp\":\"soon\"} | Line 7",
                "{\"valueBase64\":\"%%\"} | Line 7",
                "{\"value\":\"v\" | Line 7 is no JSON"
            })
    void mistakesAreNamedWithTheirLine(String line, String complaint) {
        assertThatThrownBy(() -> new JsonMessages().parse(line, 7))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(complaint);
    }

    /// `tail -o jsonl | send --json-lines` copies a topic.
    @Test
    void whatTailPrintsSendReads() {
        byte[] binary = {(byte) 0xff, 0, 1};
        var headers = new RecordHeaders();
        headers.add("trace", "한글".getBytes(StandardCharsets.UTF_8));
        var received =
                new ConsumerRecord<>(
                        "orders",
                        2,
                        41L,
                        1_763_195_400_000L,
                        TimestampType.CREATE_TIME,
                        2,
                        3,
                        "키".getBytes(StandardCharsets.UTF_8),
                        binary,
                        headers,
                        Optional.empty());
        var sent = parse(JsonText.compact(ReceivedText.row(received, false)));
        assertThat(sent.key()).isEqualTo(received.key());
        assertThat(sent.value()).isEqualTo(binary);
        assertThat(sent.partition()).isEqualTo(2);
        assertThat(sent.timestamp()).isEqualTo(received.timestamp());
        assertThat(text(sent.headers().lastHeader("trace").value())).isEqualTo("한글");
    }

    @Test
    void peopleSeeBinaryInHex() {
        var record = new ConsumerRecord<>("orders", 0, 0, new byte[0], new byte[100]);
        record.value()[0] = (byte) 0xff;
        assertThat(JsonText.compact(ReceivedText.row(record, true)))
                .contains("0xff0000", "(100 bytes)");
    }

    private static ProducerRecord<byte[], byte[]> parse(String line) {
        return new JsonMessages().parse(line, 7).to("orders");
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "(null)" : new String(bytes, StandardCharsets.UTF_8);
    }
}
