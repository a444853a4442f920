package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Whatever comes in over a socket: a clear answer or a closed connection, and everybody else is served.
class BadInputTest {
    private static final int TIMEOUT_MILLIS = 20_000;
    private static Broker broker;

    @BeforeAll
    static void start() {
        broker =
                Broker.start(
                        Map.of(
                                "ephemeral", "true",
                                "kafka.listen", "127.0.0.1:0",
                                "admin.listen", "127.0.0.1:0",
                                "gateway.request-bytes-max", "1MiB",
                                "gateway.connections-max", "60",
                                "gateway.idle-timeout", "1s"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @AfterEach
    void aHealthyClientIsServed() throws Exception {
        try (Socket socket = connect()) {
            send(socket, apiVersions((short) 0));
            assertThat(readFrame(socket).getShort(4)).as("error code").isZero();
        }
    }

    @Test
    void aRequestLargerThanAllowedEndsItsConnection() throws Exception {
        try (Socket socket = connect()) {
            new DataOutputStream(socket.getOutputStream()).writeInt(2 << 20);
            assertClosed(socket);
        }
    }

    @Test
    void aNegativeLengthEndsItsConnection() throws Exception {
        try (Socket socket = connect()) {
            new DataOutputStream(socket.getOutputStream()).writeInt(-1);
            assertClosed(socket);
        }
    }

    @Test
    void anUnknownApiEndsItsConnection() throws Exception {
        try (Socket socket = connect()) {
            send(
                    socket,
                    ByteBuffer.allocate(10)
                            .putShort((short) 9999)
                            .putShort((short) 0)
                            .putInt(1)
                            .putShort((short) -1)
                            .flip());
            assertClosed(socket);
        }
    }

    /// KIP-511: the one request that may be asked in a version nobody knows.
    @Test
    void anUnknownVersionOfApiVersionsIsAnsweredInVersionZero() throws Exception {
        try (Socket socket = connect()) {
            send(socket, apiVersions((short) 999));
            ByteBuffer answer = readFrame(socket);
            assertThat(answer.getInt(0)).as("correlation id").isEqualTo(7);
            assertThat(answer.getShort(4)).as("UNSUPPORTED_VERSION").isEqualTo((short) 35);
            assertThat(answer.getInt(6)).as("offered APIs").isGreaterThan(20);
        }
    }

    @Test
    void anUnofferedVersionEndsItsConnection() throws Exception {
        try (Socket socket = connect()) {
            send(
                    socket,
                    ByteBuffer.allocate(10)
                            .putShort((short) 3)
                            .putShort((short) 500)
                            .putInt(1)
                            .putShort((short) -1)
                            .flip());
            assertClosed(socket);
        }
    }

    @Test
    void randomBytesNeverHurtAnybody() throws Exception {
        Random random = new Random(5);
        for (int round = 0; round < 200; round++) {
            byte[] noise = new byte[random.nextInt(300)];
            random.nextBytes(noise);
            ByteBuffer frame = ByteBuffer.allocate(noise.length + 4);
            if (random.nextBoolean()) {
                frame.putShort((short) random.nextInt(95)).putShort((short) random.nextInt(15));
            }
            frame.put(noise, 0, Math.min(noise.length, frame.remaining())).flip();
            try (Socket socket = connect()) {
                send(socket, frame);
                socket.shutdownOutput();
                while (socket.getInputStream().read() >= 0) {
                    // Whatever it answers, it ends.
                }
            } catch (SocketException e) {
                assertThat(e).hasMessageContaining("reset");
            }
        }
    }

    @Test
    void aConnectionThatAsksNothingIsClosedAfterAWhile() throws Exception {
        try (Socket socket = connect()) {
            assertClosed(socket);
        }
    }

    @Test
    void halfARequestHoldsUpNobody() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(new byte[] {0, 0, 1, 0, 0, 18});
            aHealthyClientIsServed();
            assertClosed(socket);
        }
    }

    @Test
    void connectionsBeyondTheLimitAreClosedAndRoomComesBack() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 80; i++) {
            Socket socket = connect();
            sockets.add(socket);
            try {
                send(socket, apiVersions((short) 0));
                readFrame(socket);
            } catch (EOFException | SocketException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThanOrEqualTo(20);
        for (Socket socket : sockets) {
            socket.close();
        }
        awaitRoom();
    }

    private static void awaitRoom() throws Exception {
        for (int attempt = 0; ; attempt++) {
            try (Socket socket = connect()) {
                send(socket, apiVersions((short) 0));
                readFrame(socket);
                return;
            } catch (EOFException | SocketException e) {
                assertThat(attempt).as("attempts until there is room").isLessThan(10_000);
            }
        }
    }

    /// Answers come in the order of the requests, however many are sent ahead.
    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        try (Socket socket = connect()) {
            int count = 500;
            ByteBuffer all = ByteBuffer.allocate(count * 14);
            for (int i = 0; i < count; i++) {
                all.putInt(10)
                        .putShort((short) 18)
                        .putShort((short) 0)
                        .putInt(i)
                        .putShort((short) -1);
            }
            Thread writer =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            socket.getOutputStream().write(all.array());
                                        } catch (IOException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    });
            for (int i = 0; i < count; i++) {
                assertThat(readFrame(socket).getInt(0)).isEqualTo(i);
            }
            writer.join();
        }
    }

    private static Socket connect() throws IOException {
        Address address = broker.kafkaFromHere();
        Socket socket = new Socket(address.host(), address.port());
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return socket;
    }

    private static ByteBuffer apiVersions(short version) {
        ByteBuffer frame =
                ByteBuffer.allocate(11)
                        .putShort((short) 18)
                        .putShort(version)
                        .putInt(7)
                        .putShort((short) -1);
        return (version < 3 ? frame : frame.put((byte) 0)).flip();
    }

    private static void send(Socket socket, ByteBuffer frame) throws IOException {
        ByteBuffer whole =
                ByteBuffer.allocate(4 + frame.remaining())
                        .putInt(frame.remaining())
                        .put(frame)
                        .flip();
        socket.getOutputStream().write(whole.array(), 0, whole.limit());
    }

    private static ByteBuffer readFrame(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        return ByteBuffer.wrap(in.readNBytes(in.readInt()));
    }

    private static void assertClosed(Socket socket) {
        assertThatThrownBy(() -> new DataInputStream(socket.getInputStream()).readInt())
                .isInstanceOfAny(EOFException.class, SocketException.class);
    }
}
