package io.sluice.cli.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// Which messages `tail` shows. All given conditions have to hold.
///
/// Owned by the main thread.
final class Filter {
    @CommandLine.Option(
            names = {"-k", "--key"},
            description = "Only messages with this key.")
    @Nullable String key;

    @CommandLine.Option(
            names = "--grep",
            paramLabel = "TEXT",
            description = "Only messages whose value contains this text.")
    @Nullable String grep;

    @CommandLine.Option(
            names = {"-H", "--header"},
            paramLabel = "NAME=VALUE",
            description = "Only messages with this header. Repeatable.")
    Map<String, String> headers = new LinkedHashMap<>();

    boolean shows(ConsumerRecord<byte[], byte[]> record) {
        return keyMatches(record.key()) && valueMatches(record.value()) && headersMatch(record);
    }

    private boolean keyMatches(byte @Nullable [] actual) {
        return key == null || Arrays.equals(key.getBytes(StandardCharsets.UTF_8), actual);
    }

    private boolean valueMatches(byte @Nullable [] actual) {
        return grep == null
                || (actual != null && new String(actual, StandardCharsets.UTF_8).contains(grep));
    }

    private boolean headersMatch(ConsumerRecord<?, ?> record) {
        for (Map.Entry<String, String> wanted : headers.entrySet()) {
            byte[] bytes = wanted.getValue().getBytes(StandardCharsets.UTF_8);
            boolean found = false;
            for (Header header : record.headers().headers(wanted.getKey())) {
                found |= Arrays.equals(bytes, header.value());
            }
            if (!found) {
                return false;
            }
        }
        return true;
    }
}
