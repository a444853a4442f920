package io.sluice.replication;

import io.sluice.env.Clock;
import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.replication.PeerFailure.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The other brokers, for one purpose: a connection to each, made when it is first needed.
///
/// Every purpose has connections of its own, so that a long poll never delays a heartbeat. Owned by its home mailbox; [#ask] for another home crosses over.
public final class Peers {
    private final String purpose;
    private final Network network;
    private final Clock clock;
    private final Mailbox home;
    private final Book book;
    private final Losses losses;
    private final Map<Integer, PeerConnection> connections = new TreeMap<>();

    /// Where brokers are now.
    public interface Book {
        @Nullable PeerAddress find(int broker);
    }

    /// Hears of connections that broke or could not be made, on the home mailbox.
    public interface Losses {
        void lost(int broker, PeerFailure failure);
    }

    public Peers(
            String purpose, Network network, Clock clock, Mailbox home, Book book, Losses losses) {
        this.purpose = purpose;
        this.network = network;
        this.clock = clock;
        this.home = home;
        this.book = book;
        this.losses = losses;
    }

    /// On the home mailbox. Fails with a [PeerFailure] when there is no answer in time.
    public Reply<ApiResponse> ask(int broker, ApiRequest request, short version, Duration timeout) {
        PeerConnection connection = connection(broker);
        return connection == null
                ? Reply.failed(
                        new PeerFailure(
                                Kind.NOT_SENT, "Nobody knows where broker " + broker + " is now."))
                : connection.ask(request, version, timeout);
    }

    /// From any thread; the answer comes to the mailbox of whoever asks.
    public Reply<ApiResponse> ask(
            int broker, ApiRequest request, short version, Duration timeout, Mailbox asker) {
        return Crossing.ask(
                home,
                asker,
                "A request to broker " + broker,
                () -> ask(broker, request, version, timeout));
    }

    /// A broker that has come back elsewhere gets a connection to where it is now.
    private @Nullable PeerConnection connection(int broker) {
        PeerAddress now = book.find(broker);
        PeerConnection present = connections.get(broker);
        if (present != null && (now == null || present.address().equals(now))) {
            return present;
        }
        if (present != null) {
            connections.remove(broker);
            present.close();
        }
        if (now == null) {
            return null;
        }
        PeerConnection fresh =
                new PeerConnection(
                        now,
                        "sluice-" + purpose,
                        network,
                        clock,
                        home,
                        failure -> losses.lost(broker, failure));
        connections.put(broker, fresh);
        return fresh;
    }

    /// Ends all connections.
    public void close() {
        connections.values().forEach(PeerConnection::close);
        connections.clear();
    }
}
