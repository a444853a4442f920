package io.sluice.coordinator;

import io.sluice.record.LogRecord;
import org.jspecify.annotations.Nullable;

/// How changes are written to the log and read back. Pure.
public interface ChangeFormat<E> {
    /// The record, or null for a change that only memory needs and that a restart may forget.
    @Nullable LogRecord encode(E change, long wallMillis);

    /// The change, or null for a record of a kind that this machine does not know.
    ///
    /// @throws MalformedChange when it is of a known kind and does not decode
    @Nullable E decode(LogRecord record);

    /// A record of a known kind with impossible content: written by somebody else, or by a bug.
    final class MalformedChange extends RuntimeException {
        public MalformedChange(String message) {
            super(message);
        }
    }
}
