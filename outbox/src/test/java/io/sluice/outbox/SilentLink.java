package io.sluice.outbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A way to a database that can fall silent, as one does behind which a host is lost: nothing comes through any more, and nobody is told. Who connects
/// after that is served.
///
/// Thread-safe: a monitor over who is served.
final class SilentLink implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("//([^/:]+):(\\d+)/");

    private final ServerSocket door;
    private final int server;
    private final String url;
    private final Set<Socket> served = new HashSet<>();

    private SilentLink(ServerSocket door, int server, String url) {
        this.door = door;
        this.server = server;
        this.url = url;
    }

    static SilentLink to(Database database) throws IOException {
        Matcher address = ADDRESS.matcher(database.url());
        if (!address.find()) {
            throw new IllegalArgumentException("no port in " + database.url());
        }
        ServerSocket door = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        String url = address.replaceFirst("//127.0.0.1:" + door.getLocalPort() + "/");
        SilentLink link = new SilentLink(door, Integer.parseInt(address.group(2)), url);
        Thread.ofPlatform().name("silent-link").daemon().start(link::run);
        return link;
    }

    /// The same database, by this way.
    Database database() {
        return new Database(url);
    }

    /// For all who are connected now.
    synchronized void fallSilent() {
        served.clear();
    }

    private void run() {
        while (!door.isClosed()) {
            try {
                admit(door.accept());
            } catch (IOException e) {
                // The door was closed.
            }
        }
    }

    private synchronized void admit(Socket client) throws IOException {
        Socket onward = new Socket(InetAddress.getLoopbackAddress(), server);
        served.add(client);
        Thread.ofVirtual().start(() -> carry(client, client, onward));
        Thread.ofVirtual().start(() -> carry(client, onward, client));
    }

    private void carry(Socket client, Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8 << 10];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                if (isServed(client)) {
                    out.write(bytes, 0, read);
                }
            }
            while (!isServed(client) && !door.isClosed()) {
                Thread.sleep(50); // Not even an end comes through.
            }
        } catch (IOException e) {
            // One of them has ended, and so does the other.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean isServed(Socket client) {
        return served.contains(client);
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
