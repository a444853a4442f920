package io.sluice.outbox.wal;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Waits for a mark that was written into the log to come back in the stream: a stream can die without a word, when its server is gone and no
/// packet says so.
///
/// Only silence counts. A mark stands behind all that was written before it, which may take long to come, and to publish.
///
/// Owned by the publishing thread.
public final class AwaitedMark {
    static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

    private final LongSupplier nanoTime;
    private long lsn;
    private long silentSinceNanos;

    public AwaitedMark(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /// If one is awaited already, that one comes first.
    public void written(long mark) {
        if (lsn == 0) {
            lsn = mark;
            silentSinceNanos = nanoTime.getAsLong();
        }
    }

    /// Something has come, and all up to this position is done.
    public void heard(long upTo) {
        if (upTo >= lsn) {
            lsn = 0;
        }
        silentSinceNanos = nanoTime.getAsLong();
    }

    /// Nobody has listened: what was not heard proves nothing.
    public void unheard() {
        silentSinceNanos = nanoTime.getAsLong();
    }

    /// Whether there has been silence for too long.
    public boolean isMissing() {
        return lsn != 0 && nanoTime.getAsLong() - silentSinceNanos > LONGEST_SILENCE.toNanos();
    }
}
