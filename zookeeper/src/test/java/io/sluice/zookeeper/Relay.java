package io.sluice.zookeeper;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A place between a client and a server where the line can be cut: connections end, and new ones end at once.
///
/// Thread-safe: the set of open sockets is.
final class Relay implements AutoCloseable {
    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isCut;
    private volatile boolean isMute;

    Relay(String host, int port) throws IOException {
        this.target = new InetSocketAddress(host, port);
        this.listener =
                new ServerSocket(
                        TestEnsemble.freePort(new HashSet<>()),
                        50,
                        InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    void cut() {
        isCut = true;
        open.forEach(Relay::closeQuietly);
    }

    /// What the server says no longer arrives; what the client says still does.
    void muteServer() {
        isMute = true;
    }

    void restore() {
        isMute = false;
        isCut = false;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                if (isCut) {
                    closeQuietly(client);
                    continue;
                }
                Socket server = new Socket();
                open.add(server);
                server.connect(target);
                Thread.ofVirtual().start(() -> pump(client, server, false));
                Thread.ofVirtual().start(() -> pump(server, client, true));
                if (isCut) {
                    cut();
                }
            } catch (IOException _) {
                // The server is down, or the relay is closed; the client's end goes with the next
                // cut.
                open.removeIf(Socket::isClosed);
            }
        }
    }

    private void pump(Socket from, Socket to, boolean fromServer) {
        byte[] bytes = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count; (count = in.read(bytes)) >= 0; ) {
                if (!fromServer || !isMute) {
                    out.write(bytes, 0, count);
                }
            }
        } catch (IOException _) {
            // One end is gone, and so is the other.
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // It is of no more use either way.
        }
    }

    @Override
    public void close() throws IOException {
        cut();
        listener.close();
    }
}
