package io.sluice.benchmarks.load;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The one sign of life that counts: a message that the broker has acknowledged with `acks=all`. Creates the topic when the broker does not know it.
///
/// Raw frames, because the ordinary client's own back-off would blur a start-up time of a fraction of a second.
///
/// Owned by the thread that waits.
public final class Probe {
    private static final long PAUSE_NANOS = Duration.ofMillis(3).toNanos();
    private static final int ANSWER_LIMIT_MILLIS = 10_000;
    private static final int UNKNOWN_TOPIC_OR_PARTITION = 3;

    private final InetSocketAddress address;
    private final RequestFrame produce;
    private final RequestFrame createTopic;
    private @Nullable SocketChannel channel;
    private String obstacle = "not tried";

    public Probe(InetSocketAddress address, String topic, int partition) {
        this.address = address;
        produce = RequestFrame.produce(topic, partition, Acks.ALL, 100);
        createTopic = RequestFrame.createTopic(topic, 1);
    }

    /// What stood in the way of the last attempt.
    public String lastObstacle() {
        return obstacle;
    }

    /// Tries once; false after a short pause when there was no acknowledgement yet.
    public boolean attempt() {
        try {
            int error = exchange(produce);
            if (error == 0) {
                disconnect();
                return true;
            }
            obstacle = "Produce answered with error code " + error;
            if (error == UNKNOWN_TOPIC_OR_PARTITION) {
                int createError = exchange(createTopic);
                obstacle = "CreateTopics answered with error code " + createError;
            }
        } catch (IOException notYet) {
            obstacle = notYet.toString();
            disconnect();
        }
        LockSupport.parkNanos(PAUSE_NANOS);
        return false;
    }

    private int exchange(RequestFrame request) throws IOException {
        SocketChannel connected = connected();
        ByteBuffer bytes = request.bytes().duplicate();
        while (bytes.hasRemaining()) {
            connected.write(bytes);
        }
        Socket socket = connected.socket();
        socket.setSoTimeout(ANSWER_LIMIT_MILLIS);
        DataInputStream input = new DataInputStream(socket.getInputStream());
        byte[] answer = new byte[input.readInt()];
        input.readFully(answer);
        return ByteBuffer.wrap(answer).getShort(request.errorCodePosition());
    }

    private SocketChannel connected() throws IOException {
        SocketChannel current = channel;
        if (current == null) {
            current = SocketChannel.open(address);
            channel = current;
        }
        return current;
    }

    private void disconnect() {
        SocketChannel current = channel;
        channel = null;
        if (current != null) {
            try {
                current.close();
            } catch (IOException ignored) {
                // Only the socket is given back; the attempt's result is already known.
                obstacle = ignored.toString();
            }
        }
    }
}
