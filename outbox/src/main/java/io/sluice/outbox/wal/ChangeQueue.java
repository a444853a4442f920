package io.sluice.outbox.wal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Changes on their way from the thread that reads the stream to the one that publishes, bounded in number and bytes.
///
/// They are taken all at once, and not before a transaction is complete: a change of threads for every row would cost more than the row.
///
/// Thread-safe: a monitor.
final class ChangeQueue {
    private final int mostChanges;
    private final long mostBytes;
    private List<Change> changes = new ArrayList<>();
    private long bytes;
    private int complete;
    private @Nullable Throwable end;

    ChangeQueue(int mostChanges, long mostBytes) {
        this.mostChanges = mostChanges;
        this.mostBytes = mostBytes;
    }

    /// Waits while there is no room. One that is larger than all the room gets in when it is alone.
    synchronized void put(Change change, int size) throws InterruptedException {
        while (isFull()) {
            wait();
        }
        changes.add(change);
        bytes += size;
        complete += change instanceof Change.End ? 1 : 0;
        if (isReady()) {
            notifyAll();
        }
    }

    /// Nothing more will come.
    synchronized void end(Throwable why) {
        end = why;
        notifyAll();
    }

    /// All that is there, once it has a whole transaction in it, or is as much as fits, or nothing more will come; nothing if that is not so in
    /// that time.
    synchronized List<Change> take(Duration longest) throws InterruptedException {
        long until = System.nanoTime() + longest.toNanos();
        long left = longest.toMillis();
        while (!isReady() && left > 0) {
            wait(left);
            left = Duration.ofNanos(until - System.nanoTime()).toMillis();
        }
        if (!isReady()) {
            return List.of();
        }
        List<Change> taken = changes;
        changes = new ArrayList<>();
        bytes = 0;
        complete = 0;
        notifyAll();
        return taken;
    }

    /// Why nothing more will come; null as long as all is not taken.
    synchronized @Nullable Throwable ended() {
        return changes.isEmpty() ? end : null;
    }

    private boolean isReady() {
        return complete > 0 || isFull() || end != null;
    }

    private boolean isFull() {
        return changes.size() >= mostChanges || bytes >= mostBytes;
    }
}
