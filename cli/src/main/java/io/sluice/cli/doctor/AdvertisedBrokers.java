package io.sluice.cli.doctor;

import io.sluice.cli.Bootstrap;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Asks one broker, over a connection of its own, under which addresses clients are to find the brokers.
///
/// kafka-clients cannot answer this when it matters: it goes to those addresses before it answers anything. Sends a Metadata
/// request (version 4, for no topics) and reads the first part of its answer.
///
/// Stateless.
final class AdvertisedBrokers {
    private static final short METADATA = 3;
    private static final short VERSION = 4;
    private static final int LARGEST_ANSWER = 1 << 20;

    private AdvertisedBrokers() {}

    /// A broker by the address it wants to be called at.
    record Broker(int id, Bootstrap address) {}

    static List<Broker> ask(InetSocketAddress server, Duration patience) throws IOException {
        int millis = Math.toIntExact(patience.toMillis());
        try (var socket = new Socket()) {
            socket.connect(server, millis);
            socket.setSoTimeout(millis);
            byte[] client = "sluice".getBytes(StandardCharsets.US_ASCII);
            ByteBuffer request = ByteBuffer.allocate(4 + 2 + 2 + 4 + 2 + client.length + 4 + 1);
            request.putInt(request.capacity() - 4).putShort(METADATA).putShort(VERSION).putInt(1);
            request.putShort((short) client.length).put(client);
            request.putInt(0).put((byte) 0); // no topics, and none to be made
            socket.getOutputStream().write(request.array());
            socket.getOutputStream().flush();
            var in = new DataInputStream(socket.getInputStream());
            int size = in.readInt();
            if (size < 12 || size > LARGEST_ANSWER) {
                throw new IOException("an answer of " + size + " bytes");
            }
            return read(new DataInputStream(new ByteArrayInputStream(in.readNBytes(size))));
        }
    }

    private static List<Broker> read(DataInputStream in) throws IOException {
        in.readInt(); // correlation
        in.readInt(); // throttle time
        int count = in.readInt();
        List<Broker> brokers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int id = in.readInt();
            String host = text(in);
            brokers.add(new Broker(id, new Bootstrap(host, in.readInt())));
            text(in); // rack
        }
        return brokers;
    }

    /// A text with its length before it; -1 stands for none.
    private static String text(DataInputStream in) throws IOException {
        int length = in.readShort();
        return length < 0 ? "" : new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
}
