package io.sluice.kafka.wire;

import java.nio.ByteBuffer;
import java.util.UUID;

/// Anything the schemas describe that can be written to the wire: requests, responses, headers, embedded data.
///
/// Implemented by generated records only. Immutable.
public interface WireMessage {
    /// How the protocol says "no id" in a field of type uuid.
    UUID ZERO_UUID = new UUID(0L, 0L);

    /// A field of type bytes that has none.
    ByteBuffer EMPTY_BYTES = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /// Appends this message in the given version.
    ///
    /// Throws [UnsupportedVersion] when the version does not exist, or when it lacks a field that is set to
    /// something else than its default and that may not be left out silently.
    void write(WireWriter out, short version);
}
