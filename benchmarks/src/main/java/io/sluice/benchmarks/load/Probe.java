package io.sluice.benchmarks.load;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The one sign of life that counts: a message that has been acknowledged with `acks=all`. Creates the topic when it is not known.
///
/// Of several brokers one leads the partition: they are tried in turns, one with each attempt. Raw frames, because the ordinary client's own back-off
/// would blur a start-up time of a fraction of a second.
///
/// Owned by the thread that waits.
public final class Probe {
    private static final long PAUSE_NANOS = Duration.ofMillis(3).toNanos();
    private static final int ANSWER_LIMIT_MILLIS = 10_000;
    private static final int UNKNOWN_TOPIC_OR_PARTITION = 3;

    private final List<InetSocketAddress> addresses;
    private final @Nullable SocketChannel[] channels;
    private final RequestFrame produce;
    private final RequestFrame createTopic;
    private int turn;
    private String obstacle = "not tried";

    /// @param replicas of the topic, if it has to be created, of which `minInSync` have to have a message
    public Probe(
            List<InetSocketAddress> addresses,
            String topic,
            int partition,
            int replicas,
            int minInSync) {
        this.addresses = List.copyOf(addresses);
        channels = new SocketChannel[addresses.size()];
        produce = RequestFrame.produce(topic, partition, Acks.ALL, 100);
        createTopic = RequestFrame.createTopic(topic, 1, replicas, minInSync);
    }

    /// What stood in the way of the last attempt.
    public String lastObstacle() {
        return obstacle;
    }

    /// Tries once, with the broker whose turn it is; false after a short pause when there was no acknowledgement yet.
    public boolean attempt() {
        try {
            int error = exchange(produce);
            if (error == 0) {
                disconnectAll();
                return true;
            }
            obstacle = "Produce answered with error code " + error;
            if (error == UNKNOWN_TOPIC_OR_PARTITION) {
                int createError = exchange(createTopic);
                obstacle = "CreateTopics answered with error code " + createError;
            }
        } catch (IOException notYet) {
            obstacle = notYet.toString();
            disconnect(turn);
        }
        turn = (turn + 1) % channels.length;
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
        SocketChannel current = channels[turn];
        if (current == null) {
            current = SocketChannel.open(addresses.get(turn));
            channels[turn] = current;
        }
        return current;
    }

    private void disconnectAll() {
        for (int index = 0; index < channels.length; index++) {
            disconnect(index);
        }
    }

    private void disconnect(int index) {
        SocketChannel current = channels[index];
        channels[index] = null;
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
