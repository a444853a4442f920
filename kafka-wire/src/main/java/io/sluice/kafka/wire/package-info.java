/// Kafka's messages as bytes and as values: the codec between a frame on the socket and a handler.
///
/// Stands between the gateway, which cuts frames, and the Kafka API handlers, which see only the generated
/// records of `io.sluice.kafka.wire.message`. Pure: no file, socket, thread or clock. Readers and writers are
/// owned by the thread of their connection, everything else is immutable. Nothing here may allocate by a length
/// that the wire states before that length is checked against the bytes that are really there.
@NullMarked
package io.sluice.kafka.wire;

import org.jspecify.annotations.NullMarked;
