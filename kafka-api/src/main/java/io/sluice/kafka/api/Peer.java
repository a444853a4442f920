package io.sluice.kafka.api;

import io.sluice.env.Mailbox;
import io.sluice.kafka.api.data.FetchSessions;

/// The client at the other end of a connection, and what is remembered about it between requests. Owned by its connection.
public final class Peer {
    private final String listener;
    private final String address;
    private final Mailbox home;
    private final FetchSessions fetchSessions = new FetchSessions();

    public Peer(String listener, String address, Mailbox home) {
        this.listener = listener;
        this.address = address;
        this.home = home;
    }

    public String listener() {
        return listener;
    }

    public String address() {
        return address;
    }

    /// The connection's own thread, where its answers complete.
    public Mailbox home() {
        return home;
    }

    public FetchSessions fetchSessions() {
        return fetchSessions;
    }
}
