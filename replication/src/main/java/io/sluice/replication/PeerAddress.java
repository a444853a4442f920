package io.sluice.replication;

/// Where a broker can be reached. Immutable.
public record PeerAddress(int broker, String host, int port) {
    @Override
    public String toString() {
        return "broker " + broker + " at " + host + ":" + port;
    }
}
