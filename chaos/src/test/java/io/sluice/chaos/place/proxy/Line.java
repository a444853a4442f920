package io.sluice.chaos.place.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.chaos.place.Port;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/// Both ends of a connection through the proxy, as they see it.
///
/// Owned by the test's thread.
record Line(Socket caller, Socket callee) implements AutoCloseable {
    /// Only against a test that never ends.
    private static final int LIMIT_MILLIS = 60_000;

    /// For how long nothing must come that a cut holds; a slow machine does not make it come.
    private static final int SILENCE_MILLIS = 200;

    static Line between(ProxyPlace place, int caller, int callee, Port port) throws IOException {
        try (ServerSocket door = door(place, callee, port)) {
            Socket one = call(place, caller, callee, port);
            return new Line(one, accepted(door));
        }
    }

    /// Where a broker listens.
    static ServerSocket door(ProxyPlace place, int broker, Port port) throws IOException {
        ServerSocket door = new ServerSocket(place.port(broker, port), 50, Addresses.home(broker));
        door.setSoTimeout(LIMIT_MILLIS);
        return door;
    }

    static Socket call(ProxyPlace place, int caller, int callee, Port port) throws IOException {
        Socket socket = new Socket(Addresses.between(caller, callee), place.port(callee, port));
        socket.setSoTimeout(LIMIT_MILLIS);
        return socket;
    }

    static Socket accepted(ServerSocket door) throws IOException {
        Socket socket = door.accept();
        socket.setSoTimeout(LIMIT_MILLIS);
        return socket;
    }

    static void expectNobody(ServerSocket door) throws IOException {
        door.setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(door::accept).isInstanceOf(SocketTimeoutException.class);
        door.setSoTimeout(LIMIT_MILLIS);
    }

    static void say(Socket socket, String words) throws IOException {
        socket.getOutputStream().write(words.getBytes(StandardCharsets.UTF_8));
    }

    static void expect(Socket socket, String words) throws IOException {
        byte[] heard = socket.getInputStream().readNBytes(words.length());
        assertThat(new String(heard, StandardCharsets.UTF_8)).isEqualTo(words);
    }

    static void expectSilence(Socket socket) throws IOException {
        socket.setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(socket.getInputStream()::read)
                .isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(LIMIT_MILLIS);
    }

    static void expectEnd(Socket socket) throws IOException {
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }

    /// That both hear each other.
    void expectOpen() throws IOException {
        say(caller, "question");
        expect(callee, "question");
        say(callee, "answer");
        expect(caller, "answer");
    }

    @Override
    public void close() throws IOException {
        caller.close();
        callee.close();
    }
}
