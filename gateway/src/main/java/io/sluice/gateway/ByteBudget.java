package io.sluice.gateway;

import java.util.ArrayDeque;

/// How much one event loop may hold of requests: their bytes as received, and the heap that they take as objects. At either limit connections wait their turn,
/// unread. Owned by its loop.
final class ByteBudget {
    private final long limit;
    private final long heapLimit;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private long used;
    private long heapUsed;

    ByteBudget(long limit, long heapLimit) {
        this.limit = limit;
        this.heapLimit = heapLimit;
    }

    void take(int bytes) {
        used += bytes;
    }

    void takeHeap(long bytes) {
        heapUsed += bytes;
    }

    void give(int bytes, long heapBytes) {
        used -= bytes;
        heapUsed -= heapBytes;
        while (!isExhausted() && !waiting.isEmpty()) {
            waiting.poll().run();
        }
    }

    /// A frame is only known once it is read, so a limit can be passed by one frame for each connection; then it holds.
    boolean isExhausted() {
        return used >= limit || heapUsed >= heapLimit;
    }

    /// Not even that one frame for each connection may be decoded: beyond this only the heap of the request in hand is taken.
    boolean isFull() {
        return heapUsed >= 2 * heapLimit;
    }

    /// Called back once when there is room again.
    void whenRoom(Runnable resume) {
        waiting.add(resume);
    }
}
