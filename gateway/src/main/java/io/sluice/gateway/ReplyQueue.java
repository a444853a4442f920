package io.sluice.gateway;

import io.sluice.kafka.api.Answer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Sends answers in the order of their requests, however they become ready. Owned by its connection.
///
/// Clients match answers by order. Bounded by the connection's limit of requests in flight.
final class ReplyQueue {
    private final ArrayDeque<Slot> slots = new ArrayDeque<>();
    private final ReplyWriter writer;
    private boolean abandoned;

    ReplyQueue(ReplyWriter writer) {
        this.writer = writer;
    }

    /// A place for the answer to the request just received.
    Slot open() {
        Slot slot = new Slot();
        slots.add(slot);
        return slot;
    }

    int size() {
        return slots.size();
    }

    /// The connection is gone: what is ready or becomes ready is released unsent.
    void abandon() {
        abandoned = true;
        for (Slot slot : slots) {
            if (slot.answer != null) {
                slot.answer.release();
            }
        }
        slots.clear();
    }

    private void sendReady() {
        for (Slot head = slots.peek(); head != null && head.answer != null; head = slots.peek()) {
            slots.poll();
            send(head.answer);
        }
    }

    /// Clients match answers by order: without this one, none of those behind it may leave.
    private void send(Answer answer) {
        boolean sent = false;
        try {
            writer.write(answer);
            sent = true;
        } finally {
            if (!sent) {
                abandon();
            }
        }
    }

    final class Slot {
        private @Nullable Answer answer;

        void fill(Answer value) {
            if (abandoned) {
                value.release();
                return;
            }
            answer = value;
            sendReady();
        }
    }
}
