package io.sluice.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/// Ports for processes that are killed and started again at the same address.
///
/// They lie below those that the operating system gives to outgoing connections: from that range, a client that tries to reconnect while the process is down may be given the very port that it calls, and then it talks to itself and the process cannot have its port back.
///
/// Thread-safe: it has no state.
public final class SteadyPorts {
    private static final int FIRST = 15_000;
    private static final int BEHIND_LAST = 32_000;
    private static final int ATTEMPTS = 1_000;

    private SteadyPorts() {}

    /// A port of the loopback interface that nobody holds now.
    public static int next() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, BEHIND_LAST);
            try (ServerSocket held = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return held.getLocalPort();
            } catch (IOException taken) {
                // the next one then
            }
        }
        throw new IllegalStateException(
                ATTEMPTS + " ports between " + FIRST + " and " + BEHIND_LAST + " are all taken");
    }
}
