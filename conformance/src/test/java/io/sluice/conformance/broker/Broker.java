package io.sluice.conformance.broker;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/// Where a running broker can be reached.
///
/// Immutable.
public record Broker(String host, int port) {

    /// From `host:port`.
    static Broker parse(String bootstrap) {
        int colon = bootstrap.lastIndexOf(':');
        return new Broker(
                bootstrap.substring(0, colon), Integer.parseInt(bootstrap.substring(colon + 1)));
    }

    public String bootstrap() {
        return host + ":" + port;
    }

    public InetSocketAddress address() {
        try {
            return new InetSocketAddress(InetAddress.getAllByName(host)[0], port);
        } catch (UnknownHostException unknown) {
            throw new IllegalStateException("No such host: " + host, unknown);
        }
    }
}
