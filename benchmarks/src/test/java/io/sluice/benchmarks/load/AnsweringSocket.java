package io.sluice.benchmarks.load;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// A port that answers every frame with what a function makes of it, so that a generator's own behaviour can be seen.
final class AnsweringSocket implements AutoCloseable {
    private final ServerSocket server;
    private final UnaryOperator<ByteBuffer> answer;
    final AtomicInteger requests = new AtomicInteger();
    final AtomicInteger connections = new AtomicInteger();

    /// The function gets a frame without its size and returns one; an empty answer closes the connection.
    AnsweringSocket(UnaryOperator<ByteBuffer> answer) throws IOException {
        this.answer = answer;
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket;
                DataInputStream input = new DataInputStream(socket.getInputStream());
                DataOutputStream output = new DataOutputStream(socket.getOutputStream())) {
            while (true) {
                byte[] frame = new byte[input.readInt()];
                input.readFully(frame);
                requests.incrementAndGet();
                ByteBuffer reply = answer.apply(ByteBuffer.wrap(frame));
                if (!reply.hasRemaining()) {
                    return;
                }
                byte[] bytes = new byte[reply.remaining()];
                reply.get(bytes);
                byte[] framed =
                        ByteBuffer.allocate(4 + bytes.length)
                                .putInt(bytes.length)
                                .put(bytes)
                                .array();
                // In two pieces, as a network may deliver it.
                output.write(framed, 0, 7);
                output.flush();
                output.write(framed, 7, framed.length - 7);
            }
        } catch (IOException ended) {
            // The generator has closed its end.
            connections.decrementAndGet();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
