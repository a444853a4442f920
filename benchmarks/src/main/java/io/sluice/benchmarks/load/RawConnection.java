package io.sluice.benchmarks.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/// One connection of [RawProducers]: sends its frame again whenever an answer arrives, so that a fixed number of requests is always in flight.
///
/// Owned by the thread that runs the load.
final class RawConnection implements AutoCloseable {
    private final SocketChannel channel;
    private final RequestFrame frame;
    private final ByteBuffer request;
    private final ByteBuffer answers = ByteBuffer.allocateDirect(16 * 1024);
    private final long[] sentNanos;
    private final SelectionKey key;
    private int nextCorrelation;
    private int oldestCorrelation;
    private int toSend;

    RawConnection(InetSocketAddress broker, RequestFrame shared, int inFlight, Selector selector)
            throws IOException {
        channel = SocketChannel.open(broker);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        frame = shared.copy();
        request = frame.bytes();
        request.position(request.limit());
        sentNanos = new long[inFlight];
        key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    int inFlight() {
        return nextCorrelation - oldestCorrelation;
    }

    /// Fills the pipe: as many requests as may be in flight.
    void begin() throws IOException {
        toSend = sentNanos.length;
        send();
    }

    /// Sends what is due, as far as the socket takes it.
    void send() throws IOException {
        while (toSend > 0 || request.hasRemaining()) {
            if (!request.hasRemaining()) {
                request.rewind();
                request.putInt(RequestFrame.CORRELATION_POSITION, nextCorrelation);
                sentNanos[nextCorrelation % sentNanos.length] = System.nanoTime();
                nextCorrelation++;
                toSend--;
            }
            channel.write(request);
            if (request.hasRemaining()) {
                key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                return;
            }
        }
        if (key.interestOps() != SelectionKey.OP_READ) {
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    /// Takes the answers that have arrived, and for each sends the next request unless the run is over. Returns how many there were.
    int receive(Histogram latencyNanos, boolean sendMore) throws IOException {
        if (channel.read(answers) < 0) {
            throw new IOException("The broker closed a connection under load.");
        }
        long now = System.nanoTime();
        int complete = 0;
        int position = 0;
        int end = answers.position();
        while (end - position >= Integer.BYTES) {
            int length = answers.getInt(position);
            if (end - position - Integer.BYTES < length) {
                break;
            }
            accept(position + Integer.BYTES, now, latencyNanos);
            position += Integer.BYTES + length;
            complete++;
        }
        answers.flip().position(position);
        answers.compact();
        if (sendMore && complete > 0) {
            toSend += complete;
            send();
        }
        return complete;
    }

    private void accept(int position, long now, Histogram latencyNanos) {
        int correlation = answers.getInt(position);
        if (correlation != oldestCorrelation) {
            throw new IllegalStateException(
                    "Answer %d came where %d was expected."
                            .formatted(correlation, oldestCorrelation));
        }
        short error = answers.getShort(position + frame.errorCodePosition());
        if (error != 0) {
            throw new IllegalStateException("The broker answered with error code " + error + ".");
        }
        latencyNanos.recordValue(now - sentNanos[oldestCorrelation % sentNanos.length]);
        oldestCorrelation++;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
