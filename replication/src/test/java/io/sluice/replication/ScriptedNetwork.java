package io.sluice.replication;

import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.Frame;
import io.sluice.kafka.wire.Messages;
import io.sluice.kafka.wire.RequestHeader;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.WireWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// A network on which the test is everybody else: it sees what was asked, and answers or does not. Owned by its test.
final class ScriptedNetwork implements Network {
    final List<Connection> connections = new ArrayList<>();

    /// Every new connection is refused at once.
    boolean refusing;

    @Override
    public Link connect(String host, int port, Mailbox home, Listener listener) {
        Connection connection = new Connection(host + ":" + port, home, listener);
        connections.add(connection);
        if (refusing) {
            connection.breakOff(true);
        }
        return connection;
    }

    Connection last() {
        return connections.getLast();
    }

    /// A request as it went over the wire.
    record Asked(RequestHeader header, ApiRequest request) {}

    static final class Connection implements Link {
        final String to;
        private final Mailbox home;
        private final Listener listener;
        private final ArrayDeque<Asked> asked = new ArrayDeque<>();
        boolean closedFromHere;
        private boolean over;

        Connection(String to, Mailbox home, Listener listener) {
            this.to = to;
            this.home = home;
            this.listener = listener;
        }

        @Override
        public void send(ByteBuffer frame) {
            ByteBuffer content = frame.duplicate().position(Integer.BYTES);
            WireReader in = new WireReader(content.slice());
            RequestHeader header = RequestHeader.read(in);
            asked.add(new Asked(header, Messages.readRequest(header.api(), header.version(), in)));
        }

        @Override
        public void close() {
            closedFromHere = true;
            breakOff(false);
        }

        int open() {
            return asked.size();
        }

        Asked peek() {
            return asked.element();
        }

        <T extends ApiRequest> T next(Class<T> type) {
            return type.cast(asked.element().request());
        }

        /// Answers the oldest question.
        void answer(ApiResponse response) {
            RequestHeader header = asked.remove().header();
            WireWriter out = new WireWriter();
            Frame.writeResponse(out, header, response);
            ByteBuffer frame = ByteBuffer.allocate(out.sizeInBytes());
            for (WirePart part : out.parts()) {
                if (part instanceof WirePart.Bytes(ByteBuffer bytes)) {
                    frame.put(bytes);
                }
            }
            deliver(frame.flip().position(Integer.BYTES).slice());
        }

        void deliver(ByteBuffer frame) {
            home.post(() -> listener.received(frame));
        }

        void breakOff(boolean refused) {
            if (!over) {
                over = true;
                home.post(() -> listener.closed(refused, refused ? "refused" : "broken"));
            }
        }
    }
}
