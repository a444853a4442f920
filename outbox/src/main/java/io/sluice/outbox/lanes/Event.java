package io.sluice.outbox.lanes;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A committed event, as it stands in the table.
///
/// Immutable: nobody writes into the payload.
///
/// @param ord its place among events that wait for each other
/// @param key the aggregate's id, and the record's key; empty where the table has none
/// @param ageMicros how old the row was when it was read, on the database's clock; negative if the table does not say
/// @param isKeyless the table has NULL for a key, and so has the record. All such events are one aggregate, the one whose id is empty
public record Event(
        long ord,
        int lane,
        String id,
        String key,
        Map<String, String> headers,
        Payload payload,
        long ageMicros,
        boolean isKeyless) {
    public static final long UNKNOWN_AGE = -1;

    public Event(
            long ord,
            int lane,
            String id,
            @Nullable String key,
            Map<String, String> headers,
            Payload payload,
            long ageMicros) {
        this(ord, lane, id, key == null ? "" : key, headers, payload, ageMicros, key == null);
    }

    /// Of the record.
    public byte @Nullable [] keyBytes() {
        return isKeyless ? null : key.getBytes(StandardCharsets.UTF_8);
    }

    /// The bytes of an event.
    public static final class Payload {
        private final byte @Nullable [] bytes;

        /// @param bytes null where the table has NULL: a tombstone
        public Payload(byte @Nullable [] bytes) {
            this.bytes = bytes;
        }

        public static Payload of(String text) {
            return new Payload(text.getBytes(StandardCharsets.UTF_8));
        }

        public int size() {
            return bytes == null ? 0 : bytes.length;
        }

        public boolean isAbsent() {
            return bytes == null;
        }

        /// Not a copy.
        public byte @Nullable [] bytes() {
            return bytes;
        }
    }
}
