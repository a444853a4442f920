package io.sluice.simulation.cluster;

import io.sluice.env.DiskException;
import io.sluice.env.FileSlice;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Answer;
import io.sluice.kafka.api.Dispatcher;
import io.sluice.kafka.api.Peer;
import io.sluice.kafka.wire.MalformedRequest;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.WireWriter;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// One client's connection at a broker: frames go to the dispatcher, answers come back in the order of their questions. Does what the gateway does, without sockets.
///
/// Owned by the mailbox that takes the broker's connections.
final class ServerConnection implements Network.Listener {
    private static final int MOST_IN_FLIGHT = 1_000;

    private final Network.Link link;
    private final Dispatcher dispatcher;
    private final Peer peer;
    private final ArrayDeque<Slot> slots = new ArrayDeque<>();
    private boolean closed;

    private static final class Slot {
        private @Nullable Answer answer;
    }

    ServerConnection(Network.Link link, Dispatcher dispatcher, Mailbox home) {
        this.link = link;
        this.dispatcher = dispatcher;
        this.peer = new Peer("kafka", "simulated", home);
    }

    @Override
    public void received(ByteBuffer frame) {
        if (closed || peer.isTurnedAway()) {
            return; // The gateway would not read it any more.
        }
        Slot slot = new Slot();
        slots.add(slot);
        if (slots.size() > MOST_IN_FLIGHT) {
            throw new IllegalStateException("a client has " + slots.size() + " requests in flight");
        }
        Reply<Answer> reply;
        try {
            reply = dispatcher.dispatch(new WireReader(frame), peer);
        } catch (MalformedRequest e) {
            throw new IllegalStateException("a simulated client was not understood", e);
        }
        reply.whenDone(done -> answered(slot, done));
    }

    private void answered(Slot slot, Reply<Answer> done) {
        Throwable failure = done.failure();
        if (failure != null) {
            throw new IllegalStateException("a request failed", failure);
        }
        if (closed) {
            done.value().release();
            return;
        }
        slot.answer = done.value();
        for (Slot head = slots.peek();
                head != null && head.answer != null && !closed;
                head = slots.peek()) {
            slots.poll();
            send(head.answer);
        }
        if (peer.isTurnedAway() && slots.isEmpty() && !closed) {
            link.close();
        }
    }

    private void send(Answer answer) {
        if (answer.isHangUp()) {
            link.close();
            return;
        }
        if (answer.isSilent()) {
            return;
        }
        WireWriter out = new WireWriter();
        answer.encode(out);
        ByteBuffer frame = ByteBuffer.allocate(out.sizeInBytes());
        boolean whole = true;
        for (WirePart part : out.parts()) {
            switch (part) {
                case WirePart.Bytes(ByteBuffer bytes) -> frame.put(bytes);
                case WirePart.Stored(Records.Stored stored) ->
                        whole &= put(frame, (FileSlice) stored);
            }
        }
        if (whole) {
            link.send(frame.flip());
        } else {
            link.close();
        }
    }

    /// False when the disk does not give what was promised: half an answer must not leave.
    private static boolean put(ByteBuffer frame, FileSlice slice) {
        try {
            ByteBuffer bytes = slice.read();
            boolean whole = bytes.remaining() == slice.sizeInBytes();
            frame.put(bytes);
            return whole;
        } catch (DiskException _) {
            return false;
        } finally {
            slice.release();
        }
    }

    @Override
    public void closed(boolean refused, String why) {
        closed = true;
        for (Slot slot : slots) {
            if (slot.answer != null) {
                slot.answer.release();
            }
        }
        slots.clear();
        peer.gone();
    }
}
