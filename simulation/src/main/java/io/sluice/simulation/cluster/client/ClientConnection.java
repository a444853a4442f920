package io.sluice.simulation.cluster.client;

import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.Frame;
import io.sluice.kafka.wire.Messages;
import io.sluice.kafka.wire.RequestHeader;
import io.sluice.kafka.wire.ResponseHeader;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.WireWriter;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A client's connection to one broker: made when needed, given up with the first late answer. Owned by its client.
final class ClientConnection {
    private final Network network;
    private final String host;
    private final int port;
    private final String clientId;
    private final Mailbox home;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private @Nullable Session session;
    private int lastCorrelationId;

    ClientConnection(Network network, String host, int port, String clientId, Mailbox home) {
        this.network = network;
        this.host = host;
        this.port = port;
        this.clientId = clientId;
        this.home = home;
    }

    private record Waiting(
            int correlationId,
            ApiKey api,
            short version,
            Reply<ApiResponse> reply,
            Mailbox.Timer timer) {}

    Reply<ApiResponse> ask(ApiRequest request, short version, Duration timeout) {
        Session current = session;
        if (current == null) {
            current = new Session();
            session = current;
            current.link = network.connect(host, port, home, current);
        }
        Session asked = current;
        ApiKey api = Objects.requireNonNull(ApiKey.find(request.apiKey()));
        lastCorrelationId++;
        Reply<ApiResponse> reply = new Reply<>();
        Mailbox.Timer timer = home.schedule(timeout, () -> lost(asked, "no answer to " + api));
        waiting.add(new Waiting(lastCorrelationId, api, version, reply, timer));
        Objects.requireNonNull(current.link)
                .send(
                        encode(
                                new RequestHeader(api, version, lastCorrelationId, clientId),
                                request));
        return reply;
    }

    private static ByteBuffer encode(RequestHeader header, ApiRequest request) {
        WireWriter out = new WireWriter();
        Frame.writeRequest(out, header, request);
        ByteBuffer frame = ByteBuffer.allocate(out.sizeInBytes());
        for (WirePart part : out.parts()) {
            switch (part) {
                case WirePart.Bytes(ByteBuffer bytes) -> frame.put(bytes);
                case WirePart.Stored(Records.Stored stored) ->
                        throw new IllegalArgumentException("requests hold no files: " + stored);
            }
        }
        return frame.flip();
    }

    private void lost(Session broken, String why) {
        if (session != broken) {
            return;
        }
        session = null;
        if (broken.link != null) {
            broken.link.close();
        }
        List<Waiting> told = List.copyOf(waiting);
        waiting.clear();
        CallFailed failure = new CallFailed(why);
        for (Waiting one : told) {
            one.timer().cancel();
            one.reply().fail(failure);
        }
    }

    private void answered(Session from, ByteBuffer frame) {
        if (session != from) {
            return;
        }
        Waiting first = Objects.requireNonNull(waiting.poll(), "an answer to nothing");
        first.timer().cancel();
        WireReader in = new WireReader(frame);
        int id = ResponseHeader.read(in, first.api(), first.version()).correlationId();
        if (id != first.correlationId()) {
            throw new IllegalStateException(
                    "answer "
                            + id
                            + " of "
                            + host
                            + " where "
                            + first.correlationId()
                            + " was due");
        }
        first.reply().complete(Messages.readResponse(first.api(), first.version(), in));
    }

    private final class Session implements Network.Listener {
        private Network.@Nullable Link link;

        @Override
        public void received(ByteBuffer frame) {
            answered(this, frame);
        }

        @Override
        public void closed(boolean refused, String why) {
            lost(this, why);
        }
    }
}
