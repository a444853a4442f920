package io.sluice.client;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;

/// The APIs and versions that one broker says it speaks, asked over a connection of its own.
///
/// kafka-clients keeps this answer to itself. It is worth a request: without it a transactional producer only
/// learns by timing out that a broker has no transactions. ApiVersions version 0 is understood by every broker
/// since 0.10 and is answered before authentication, but not before TLS.
///
/// Immutable.
public record SupportedApis(SortedMap<Short, Versions> versions) {
    private static final short API_VERSIONS = 18;
    private static final int LARGEST_ANSWER = 64 * 1024;

    /// Both ends included, as on the wire.
    public record Versions(short oldest, short newest) {}

    /// Asks the broker at that address.
    ///
    /// @throws IOException when nobody answers within the time-out, or what answers does not speak Kafka's protocol
    public static SupportedApis ask(InetSocketAddress broker, Duration timeout) throws IOException {
        int timeoutMillis = Math.toIntExact(timeout.toMillis());
        try (var socket = new Socket()) {
            socket.connect(broker, timeoutMillis);
            socket.setSoTimeout(timeoutMillis);
            byte[] client = "sluice".getBytes(StandardCharsets.US_ASCII);
            ByteBuffer request = ByteBuffer.allocate(4 + 2 + 2 + 4 + 2 + client.length);
            request.putInt(request.capacity() - 4);
            request.putShort(API_VERSIONS).putShort((short) 0).putInt(1);
            request.putShort((short) client.length).put(client);
            var out = new DataOutputStream(socket.getOutputStream());
            out.write(request.array());
            out.flush();
            return read(new DataInputStream(socket.getInputStream()));
        }
    }

    /// Whether every one of these API keys is offered in some version.
    public boolean offers(short... apiKeys) {
        for (short apiKey : apiKeys) {
            if (!versions.containsKey(apiKey)) {
                return false;
            }
        }
        return true;
    }

    private static SupportedApis read(DataInputStream in) throws IOException {
        int size = in.readInt();
        if (size < 10 || size > LARGEST_ANSWER) {
            throw notKafka("an answer of " + size + " bytes");
        }
        int correlation = in.readInt();
        short error = in.readShort();
        int count = in.readInt();
        if (correlation != 1 || error != 0 || count < 0 || count > (size - 10) / 6) {
            throw notKafka("correlation " + correlation + ", error " + error + ", count " + count);
        }
        var versions = new TreeMap<Short, Versions>();
        for (int i = 0; i < count; i++) {
            short apiKey = in.readShort();
            versions.put(apiKey, new Versions(in.readShort(), in.readShort()));
        }
        return new SupportedApis(versions);
    }

    private static IOException notKafka(String seen) {
        return new IOException("not an answer to Kafka's ApiVersions request: " + seen);
    }
}
