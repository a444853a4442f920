package io.sluice.kafka.api;

import io.sluice.env.Mailbox;
import io.sluice.kafka.api.data.FetchSessions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The client at the other end of a connection, and what is remembered about it between requests. Owned by its connection.
public final class Peer {
    private final String listener;
    private final String address;
    private final Mailbox home;
    private final FetchSessions fetchSessions = new FetchSessions();
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private boolean turnedAway;
    private boolean gone;

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

    /// Something waits for this client. When the connection ends before [#doneWaiting], it is told to end as well.
    public void waiting(Runnable end) {
        waiting.add(end);
    }

    public void doneWaiting(Runnable end) {
        waiting.remove(end);
    }

    /// The connection has ended.
    public void gone() {
        gone = true;
        fetchSessions.end();
        List<Runnable> ends = List.copyOf(waiting);
        waiting.clear();
        ends.forEach(Runnable::run);
    }

    /// Whatever this client asks next is better asked of another broker: it is given what it is owed, and then its connection ends.
    ///
    /// Clients ask whoever is connected and has least to do. A broker that refuses everything at once has nothing to do, and would be asked again and again.
    public void turnAway() {
        turnedAway = true;
    }

    public boolean isTurnedAway() {
        return turnedAway;
    }

    /// Nothing need be begun for this client any more.
    public boolean isGone() {
        return gone;
    }
}
