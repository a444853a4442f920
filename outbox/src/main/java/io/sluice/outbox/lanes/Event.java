package io.sluice.outbox.lanes;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/// A committed event, as it stands in the table.
///
/// Immutable: nobody writes into the payload.
///
/// @param ord its place among events that wait for each other
/// @param key the aggregate's id, and the record's key
/// @param ageMicros how old the row was when it was read, on the database's clock; negative if the table does not say
public record Event(
        long ord,
        int lane,
        String id,
        String key,
        Map<String, String> headers,
        Payload payload,
        long ageMicros) {
    public static final long UNKNOWN_AGE = -1;

    /// The bytes of an event.
    public static final class Payload {
        private final byte[] bytes;

        public Payload(byte[] bytes) {
            this.bytes = bytes;
        }

        public static Payload of(String text) {
            return new Payload(text.getBytes(StandardCharsets.UTF_8));
        }

        public int size() {
            return bytes.length;
        }

        /// Not a copy.
        public byte[] bytes() {
            return bytes;
        }
    }
}
