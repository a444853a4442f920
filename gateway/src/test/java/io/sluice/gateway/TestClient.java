package io.sluice.gateway;

import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.Frame;
import io.sluice.kafka.wire.RequestHeader;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireWriter;
import io.sluice.kafka.wire.message.ApiVersionsRequest;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;

/// One connection to the gateway, byte by byte where a test wants it. Owned by its test.
final class TestClient implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;

    TestClient(int port) throws IOException {
        this(port, InetAddress.getLoopbackAddress());
    }

    TestClient(int port, InetAddress from) throws IOException {
        this(port, from, new Socket());
    }

    /// One whose system takes this many unread bytes and no more; by itself it takes 32 MiB on some machines.
    static TestClient withReceiveBuffer(int port, int bytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(bytes);
        return new TestClient(port, InetAddress.getLoopbackAddress(), socket);
    }

    private TestClient(int port, InetAddress from, Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Gateway.PATIENCE_SECONDS * 1000);
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        in = new DataInputStream(socket.getInputStream());
    }

    static byte[] frame(int correlationId, String clientId) {
        return frame(
                ApiKey.API_VERSIONS,
                (short) 0,
                correlationId,
                clientId,
                ApiVersionsRequest.builder().build());
    }

    static byte[] frame(
            ApiKey api, short version, int correlationId, String clientId, ApiRequest request) {
        WireWriter out = new WireWriter();
        Frame.writeRequest(out, new RequestHeader(api, version, correlationId, clientId), request);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (WirePart part : out.parts()) {
            if (part instanceof WirePart.Bytes(ByteBuffer buffer)) {
                byte[] copy = new byte[buffer.remaining()];
                buffer.duplicate().get(copy);
                bytes.writeBytes(copy);
            }
        }
        return bytes.toByteArray();
    }

    void send(int correlationId, String clientId) throws IOException {
        send(frame(correlationId, clientId));
    }

    void send(byte[] bytes) throws IOException {
        send(bytes, 0, bytes.length);
    }

    void send(byte[] bytes, int from, int to) throws IOException {
        socket.getOutputStream().write(bytes, from, to - from);
        socket.getOutputStream().flush();
    }

    /// The next answer without its length; waits for it.
    ByteBuffer receive() throws IOException {
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        return ByteBuffer.wrap(answer);
    }

    /// The correlation id of the next answer.
    int receiveId() throws IOException {
        return receive().getInt(0);
    }

    /// How many bytes of answers are there already.
    int available() throws IOException {
        return in.available();
    }

    /// Waits until the other side has closed.
    boolean isClosed() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException e) {
            return true; // Reset: closed with bytes unread.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
