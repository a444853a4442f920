package io.sluice.coordinator.groups;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.coordinator.ChangeFormat.MalformedChange;
import io.sluice.record.LogRecord;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/// Any bytes as a record of the offsets topic: a change, something to leave out, or malformed.
///
/// In a normal test run the inputs kept under `GroupRecordFuzzTestInputs` are replayed. How to search for new ones is in docs/testing.md.
class GroupRecordFuzzTest {
    /// Bytes that are no UTF-8 become three each when they are written again, and a text may have 32,767.
    private static final int LARGEST_TO_REPEAT = 10_000;

    private final GroupRecordFormat format = new GroupRecordFormat();

    /// @param bytes the first says how long the key is, then key and value; a value that is one byte 0xff stands for a tombstone
    @FuzzTest(maxDuration = "5m")
    void anyBytesAreARecord(byte[] bytes) {
        if (bytes.length == 0) {
            return;
        }
        int keyLength = Math.min(bytes[0] & 0xff, bytes.length - 1);
        ByteBuffer key = ByteBuffer.wrap(bytes, 1, keyLength).slice();
        ByteBuffer value =
                ByteBuffer.wrap(bytes, 1 + keyLength, bytes.length - 1 - keyLength).slice();
        boolean tombstone = value.remaining() == 1 && value.get(0) == (byte) 0xff;
        GroupChange change;
        try {
            change =
                    format.decode(
                            new LogRecord(0, 1_000, key, tombstone ? null : value, List.of()));
        } catch (MalformedChange malformed) {
            assertThat(malformed.getMessage()).isNotBlank();
            return;
        }
        assertThat(key.position()).isZero();
        assertThat(value.position()).isZero();
        if (change != null && bytes.length <= LARGEST_TO_REPEAT) {
            LogRecord again = Objects.requireNonNull(format.encode(change, 1_000));
            assertThat(format.decode(again)).isEqualTo(change);
        }
    }
}
