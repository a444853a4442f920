package io.sluice.simulation.disk;

import java.nio.ByteBuffer;

/// A look into a file from outside of the world, good until the next change.
///
/// @param identity equal for the same file under any name
/// @param rewrites changes when anything but the end of the file has changed
/// @param current what programs see, but for bits that have rotted
/// @param durable what a power loss would leave
public record FileContent(Object identity, int rewrites, ByteBuffer current, ByteBuffer durable) {}
