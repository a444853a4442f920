package io.sluice.record;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One record taken out of its batch. The buffers are views that must not be moved; null value is a tombstone. Immutable.
public record LogRecord(
        long offset,
        long timestamp,
        @Nullable ByteBuffer key,
        @Nullable ByteBuffer value,
        List<RecordHeader> headers) {

    public static LogRecord of(
            long timestamp, @Nullable ByteBuffer key, @Nullable ByteBuffer value) {
        return new LogRecord(-1, timestamp, key, value, List.of());
    }

    public static LogRecord of(long timestamp, String key, String value) {
        return of(timestamp, utf8(key), utf8(value));
    }

    private static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    public record RecordHeader(String name, @Nullable ByteBuffer value) {}
}
