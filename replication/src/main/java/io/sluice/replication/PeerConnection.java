package io.sluice.replication;

import io.sluice.env.Clock;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.Frame;
import io.sluice.kafka.wire.MalformedRequest;
import io.sluice.kafka.wire.Messages;
import io.sluice.kafka.wire.RequestHeader;
import io.sluice.kafka.wire.ResponseHeader;
import io.sluice.kafka.wire.UnsupportedVersion;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.WireWriter;
import io.sluice.replication.PeerFailure.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Requests to one broker over one connection, made when it is needed and made again after a break.
///
/// ```
///            ask                     answers come in the order of their questions
///   idle ──────────▶ connected ─────────────────────────────────────────────────┐
///    ▲ ▲                 │ broke, refused, an answer is late                    │
///    │ └── back-off ◀────┘  everybody who waits is told                         │
///    └──────────────────────────────────────────────────────────────────────────┘
/// ```
/// A late answer ends the connection, since all later ones would wait behind it. Owned by its home mailbox.
final class PeerConnection {
    private static final Duration FIRST_BACKOFF = Duration.ofMillis(20);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(1);

    /// Beyond this nobody waits for an answer in any order that makes sense; a bound as everywhere.
    private static final int WAITING_MAX = 1_000;

    private final PeerAddress address;
    private final String clientId;
    private final Network network;
    private final Clock clock;
    private final Mailbox home;
    private final Consumer<PeerFailure> onLost;
    private final Backoff backoff = new Backoff(FIRST_BACKOFF, LONGEST_BACKOFF);
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private @Nullable Session session;
    private int nextCorrelationId;

    /// @param onLost told of every connection that breaks or cannot be made
    PeerConnection(
            PeerAddress address,
            String clientId,
            Network network,
            Clock clock,
            Mailbox home,
            Consumer<PeerFailure> onLost) {
        this.address = address;
        this.clientId = clientId;
        this.network = network;
        this.clock = clock;
        this.home = home;
        this.onLost = onLost;
    }

    private record Waiting(
            int correlationId,
            ApiKey api,
            short version,
            Reply<ApiResponse> reply,
            Mailbox.Timer timer) {}

    PeerAddress address() {
        return address;
    }

    /// How long until asking makes sense again.
    Duration pause() {
        return backoff.left(clock.monotonicNanos());
    }

    /// Fails with a [PeerFailure] when there is no answer.
    Reply<ApiResponse> ask(ApiRequest request, short version, Duration timeout) {
        if (session == null && !backoff.isOver(clock.monotonicNanos())) {
            return Reply.failed(
                    new PeerFailure(
                            Kind.NOT_SENT,
                            "The last try to reach " + address + " has just failed."));
        }
        if (waiting.size() >= WAITING_MAX) {
            return Reply.failed(
                    new PeerFailure(
                            Kind.NOT_SENT,
                            WAITING_MAX + " requests to " + address + " wait already."));
        }
        ApiKey api = apiOf(request);
        int id = nextCorrelationId++;
        ByteBuffer frame = encode(new RequestHeader(api, version, id, clientId), request);
        Reply<ApiResponse> reply = new Reply<>();
        waiting.add(
                new Waiting(
                        id, api, version, reply, home.schedule(timeout, () -> late(api, timeout))));
        if (session == null) {
            connect(); // May fail at once, and has told everybody who waits then.
        }
        Session current = session;
        if (current != null) {
            current.send(frame);
        }
        return reply;
    }

    /// Ends the connection. Everybody who waits is told.
    void close() {
        Session current = session;
        if (current != null) {
            end(
                    current,
                    new PeerFailure(
                            Kind.BROKEN,
                            "The connection to " + address + " was closed from here."));
        }
    }

    private void connect() {
        Session fresh = new Session();
        session = fresh;
        fresh.link = network.connect(address.host(), address.port(), home, fresh);
    }

    /// Whoever waits in vain waits on the connection that there is now: the end of one is told to all.
    private void late(ApiKey api, Duration timeout) {
        Session current = session;
        if (current != null) {
            lost(
                    current,
                    new PeerFailure(
                            Kind.TIMED_OUT,
                            "No answer to "
                                    + api
                                    + " from "
                                    + address
                                    + " for "
                                    + timeout.toMillis()
                                    + " ms."));
        }
    }

    private void lost(Session broken, PeerFailure failure) {
        if (session == broken) {
            backoff.failed(clock.monotonicNanos());
            end(broken, failure);
            onLost.accept(failure);
        }
    }

    private void end(Session ended, PeerFailure failure) {
        if (session != ended) {
            return;
        }
        session = null;
        ended.close();
        List<Waiting> told = List.copyOf(waiting);
        waiting.clear();
        for (Waiting one : told) {
            one.timer().cancel();
            one.reply().fail(failure);
        }
    }

    private void answered(Session current, ByteBuffer frame) {
        Waiting first = waiting.peek();
        if (session != current) {
            return;
        }
        try {
            if (first == null) {
                throw new MalformedRequest("an answer that nobody asked for");
            }
            WireReader in = new WireReader(frame);
            int id = ResponseHeader.read(in, first.api(), first.version()).correlationId();
            if (id != first.correlationId()) {
                throw new MalformedRequest(
                        "answer " + id + " when " + first.correlationId() + " was due");
            }
            ApiResponse response = Messages.readResponse(first.api(), first.version(), in);
            waiting.poll();
            first.timer().cancel();
            backoff.succeeded();
            first.reply().complete(response);
        } catch (MalformedRequest | UnsupportedVersion e) {
            lost(
                    current,
                    new PeerFailure(
                            Kind.BROKEN,
                            address + " does not speak as expected: " + e.getMessage()));
        }
    }

    private static ApiKey apiOf(ApiRequest request) {
        ApiKey api = ApiKey.find(request.apiKey());
        if (api == null) {
            throw new IllegalArgumentException("no API for " + request);
        }
        return api;
    }

    private static ByteBuffer encode(RequestHeader header, ApiRequest request) {
        WireWriter out = new WireWriter();
        Frame.writeRequest(out, header, request);
        ByteBuffer frame = ByteBuffer.allocate(out.sizeInBytes());
        for (WirePart part : out.parts()) {
            switch (part) {
                case WirePart.Bytes(ByteBuffer bytes) -> frame.put(bytes);
                case WirePart.Stored _ ->
                        throw new IllegalArgumentException("requests carry no stored records");
            }
        }
        return frame.flip();
    }

    /// One life of the connection: news of an earlier one means nothing any more.
    private final class Session implements Network.Listener {
        private Network.@Nullable Link link;

        void send(ByteBuffer frame) {
            if (link != null) {
                link.send(frame);
            }
        }

        void close() {
            if (link != null) {
                link.close();
            }
        }

        @Override
        public void received(ByteBuffer frame) {
            answered(this, frame);
        }

        @Override
        public void closed(boolean refused, String why) {
            lost(
                    this,
                    new PeerFailure(
                            refused ? Kind.REFUSED : Kind.BROKEN,
                            "The connection to " + address + " failed: " + why));
        }
    }
}
