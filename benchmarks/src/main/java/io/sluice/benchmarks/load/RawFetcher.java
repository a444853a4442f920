package io.sluice.benchmarks.load;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/// One raw connection that fetches a partition from end to end, over and over: what the broker's read path costs when the consumer costs nothing.
///
/// It looks at the headers of the batches to know where to go on, and at nothing else.
///
/// Owned by the thread that runs it.
public final class RawFetcher implements BulkLoad {
    private static final int MAX_BYTES = 1 << 20;
    private static final int BATCH_HEADER_LENGTH = 61;
    private static final int LAST_OFFSET_DELTA_POSITION = 23;
    private static final int FETCH_OFFSET_FROM_END = 8 + 8 + 4 + 4 + 2;

    private final SocketChannel channel;
    private final RequestFrame request;
    private final int fetchOffsetPosition;
    private final ByteBuffer answer = ByteBuffer.allocateDirect(MAX_BYTES + (1 << 16));
    private long nextOffset;

    public RawFetcher(InetSocketAddress broker, String topic, int partition) {
        try {
            channel = SocketChannel.open(broker);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot connect to the broker", failure);
        }
        request = RequestFrame.fetch(topic, partition, 0, MAX_BYTES).copy();
        fetchOffsetPosition = request.bytes().limit() - FETCH_OFFSET_FROM_END;
    }

    /// Fetches for this long and counts the bytes of record batches.
    @Override
    public Transfer runFor(Duration duration) {
        long started = System.nanoTime();
        long deadline = started + duration.toNanos();
        long bytes = 0;
        try {
            while (System.nanoTime() < deadline) {
                bytes += fetch();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("The load broke off", failure);
        }
        return new Transfer(bytes, Duration.ofNanos(System.nanoTime() - started));
    }

    private int fetch() throws IOException {
        ByteBuffer frame = request.bytes();
        frame.putLong(fetchOffsetPosition, nextOffset);
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
        frame.rewind();
        readFully(Integer.BYTES);
        readFully(answer.getInt(0));
        int position = request.errorCodePosition();
        short error = answer.getShort(position);
        if (error != 0) {
            throw new IllegalStateException("The broker answered with error code " + error + ".");
        }
        long highWatermark = answer.getLong(position + 2);
        int abortedCount = answer.getInt(position + 26);
        if (abortedCount > 0) {
            throw new IllegalStateException("A topic of the benchmark has no transactions.");
        }
        int recordBytes = answer.getInt(position + 34);
        nextOffset = offsetAfter(position + 38, recordBytes);
        if (nextOffset >= highWatermark) {
            nextOffset = 0;
        }
        return recordBytes;
    }

    /// The offset after the last whole batch; the last one of an answer may be cut off.
    private long offsetAfter(int from, int length) {
        int end = from + length;
        int position = from;
        long next = nextOffset;
        while (end - position >= BATCH_HEADER_LENGTH) {
            int batchEnd = position + 12 + answer.getInt(position + 8);
            if (batchEnd > end) {
                break;
            }
            next =
                    answer.getLong(position)
                            + answer.getInt(position + LAST_OFFSET_DELTA_POSITION)
                            + 1;
            position = batchEnd;
        }
        return next;
    }

    private void readFully(int length) throws IOException {
        answer.clear().limit(length);
        while (answer.hasRemaining()) {
            if (channel.read(answer) < 0) {
                throw new EOFException("The broker closed the connection.");
            }
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot close the connection", failure);
        }
    }
}
