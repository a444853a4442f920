package io.sluice.gateway;

import java.util.ArrayDeque;

/// How many request bytes one event loop may hold. At the limit connections wait their turn, unread. Owned by its loop.
final class ByteBudget {
    private final long limit;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private long used;

    ByteBudget(long limit) {
        this.limit = limit;
    }

    void take(int bytes) {
        used += bytes;
    }

    void give(int bytes) {
        used -= bytes;
        while (!isExhausted() && !waiting.isEmpty()) {
            waiting.poll().run();
        }
    }

    /// A frame is only known once it is read, so the limit can be passed by one frame for each connection; then it holds.
    boolean isExhausted() {
        return used >= limit;
    }

    long used() {
        return used;
    }

    /// Called back once when there is room again.
    void whenRoom(Runnable resume) {
        waiting.add(resume);
    }
}
