package io.sluice.conformance.raw;

import io.sluice.conformance.broker.Broker;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;

/// A connection that sends whatever bytes it is given and says what came of it.
///
/// Owned by the test that opened it.
public final class RawSocket implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Socket socket;

    public RawSocket(Broker broker) {
        try {
            socket = new Socket();
            socket.connect(broker.address(), (int) PATIENCE.toMillis());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) PATIENCE.toMillis());
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot connect", failure);
        }
    }

    /// How a broker reacts.
    public sealed interface Reaction {
        /// A frame, without its size.
        record Answer(ByteBuffer bytes) implements Reaction {}

        /// The connection was closed.
        record Closed() implements Reaction {}

        /// Nothing, for longer than anyone would wait.
        record Silence() implements Reaction {}
    }

    /// Sends bytes as they are; that the broker has closed the connection meanwhile is for [#reaction] to say.
    public RawSocket send(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        } catch (SocketException closed) {
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot send", failure);
        }
        return this;
    }

    /// Says that nothing more will come, and keeps listening.
    public RawSocket endOutput() {
        try {
            socket.shutdownOutput();
        } catch (SocketException closed) {
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot end the output", failure);
        }
        return this;
    }

    /// The next answer, or what there is instead of it.
    public Reaction reaction() {
        try {
            DataInputStream input = new DataInputStream(socket.getInputStream());
            byte[] bytes = new byte[input.readInt()];
            input.readFully(bytes);
            return new Reaction.Answer(ByteBuffer.wrap(bytes));
        } catch (EOFException | SocketException closed) {
            return new Reaction.Closed();
        } catch (SocketTimeoutException nothing) {
            return new Reaction.Silence();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot receive", failure);
        }
    }

    /// The next answer; fails when there is none.
    public ByteBuffer answer() {
        return switch (reaction()) {
            case Reaction.Answer(ByteBuffer bytes) -> bytes;
            case Reaction.Closed() -> throw new AssertionError("The connection was closed.");
            case Reaction.Silence() -> throw new AssertionError("There was no answer.");
        };
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot close", failure);
        }
    }
}
