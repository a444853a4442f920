package io.sluice.outbox.reading;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeadersJsonTest {
    @Test
    void whatIsWrittenIsRead() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("type", "Withdrawn");
        headers.put("q\"uote\\", "line\nbreak\ttab \u0001 송금 😀");
        headers.put("", "");
        assertThat(HeadersJson.read(HeadersJson.write(headers))).isEqualTo(headers);
        assertThat(HeadersJson.read(HeadersJson.write(Map.of()))).isEmpty();
    }

    @Test
    void othersMayHaveWrittenIt() {
        assertThat(
                        HeadersJson.read(
                                " { \"a\" : 1 , \"b\":true, \"c\": {\"d\": [1, \"}\"]},\n\"e\": null, \"f\": \"\\u00e9\\/\" } "))
                .containsExactly(
                        Map.entry("a", "1"),
                        Map.entry("b", "true"),
                        Map.entry("c", "{\"d\": [1, \"}\"]}"),
                        Map.entry("e", "null"),
                        Map.entry("f", "é/"));
    }

    @Test
    void whatIsNoObjectIsPassedOnAsItIs() {
        for (String text :
                new String[] {"plain", "[1]", "{\"a\": }", "{\"a\"", "{} x", "{\"a\": \"\\u12"}) {
            assertThat(HeadersJson.read(text)).containsExactly(Map.entry("headers", text));
        }
    }

    @Test
    void nothingIsNothing() {
        assertThat(HeadersJson.read(null)).isEmpty();
        assertThat(HeadersJson.read("  ")).isEmpty();
    }
}
