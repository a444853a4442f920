package io.sluice.gateway;

import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;

/// How much an answer that waits to be sent weighs: a range of a file as much as it has bytes, which Netty by default takes for nothing, so that a client
/// that asks and does not read would never be at its limit. Immutable.
final class AnswerSizes implements MessageSizeEstimator {
    private final Handle buffers = DefaultMessageSizeEstimator.DEFAULT.newHandle();

    @Override
    public Handle newHandle() {
        return message ->
                message instanceof FileRegion region
                        ? (int) Math.min(Integer.MAX_VALUE, region.count())
                        : buffers.size(message);
    }
}
