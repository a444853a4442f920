package io.sluice.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The addresses of `--bootstrap`, and whether anything listens there. kafka-clients keeps trying a dead address in silence;
/// a plain connection tells in a millisecond.
///
/// Immutable.
public record Bootstrap(String host, int port) {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /// Reads `host:port` pairs with commas between.
    public static List<Bootstrap> parse(String servers) {
        List<Bootstrap> parsed = new ArrayList<>();
        for (String server : servers.split(",")) {
            parsed.add(parseOne(server.trim()));
        }
        return parsed;
    }

    private static Bootstrap parseOne(String server) {
        int colon = server.lastIndexOf(':');
        try {
            int port = Integer.parseInt(server.substring(colon + 1));
            if (colon > 0 && port > 0 && port < 65_536) {
                String host = server.substring(0, colon).replace("[", "").replace("]", "");
                return new Bootstrap(host, port);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw Failure.usage(
                "--bootstrap: '%s' is no address. Write it as host:port, such as localhost:9092."
                        .formatted(server));
    }

    /// Fails unless one of the addresses accepts a connection.
    static void requireOneReachable(String servers, Duration timeout) {
        Duration patience = timeout.compareTo(PATIENCE) < 0 ? timeout : PATIENCE;
        List<String> reasons = new ArrayList<>();
        boolean slow = false;
        for (Bootstrap server : parse(servers)) {
            try {
                server.dial(patience);
                return;
            } catch (SocketTimeoutException e) {
                slow = true;
                reasons.add(
                        server
                                + " did not accept a connection within "
                                + patience.toMillis()
                                + " ms");
            } catch (IOException e) {
                reasons.add(server + " " + server.reason(e));
            }
        }
        throw new Failure(
                slow ? ExitCode.TIMEOUT : ExitCode.FAILED,
                "No broker: %s. Start one with './sluice up', or say with --bootstrap or SLUICE_BOOTSTRAP where it is."
                        .formatted(String.join("; ", reasons)));
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    /// Opens and closes a connection.
    public void dial(Duration patience) throws IOException {
        try (var socket = new Socket()) {
            socket.connect(address(), Math.toIntExact(patience.toMillis()));
        }
    }

    /// Why dialling failed, to be read after the address.
    public String reason(IOException failure) {
        if (address().isUnresolved()) {
            return "has a host name that does not resolve";
        }
        return switch (failure) {
            case SocketTimeoutException _ -> "did not answer in time";
            case ConnectException _ -> "refuses connections: nothing listens there";
            default -> "cannot be reached: " + failure.getMessage();
        };
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
