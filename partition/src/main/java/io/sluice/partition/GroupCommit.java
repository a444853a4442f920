package io.sluice.partition;

import io.sluice.env.DiskException;
import io.sluice.env.Mailbox;
import io.sluice.env.Workers;
import io.sluice.log.Flush;
import io.sluice.log.PartitionLog;
import java.util.function.Consumer;

/// One fsync at a time for a partition; everything appended meanwhile shares the next one. Owned by its shard.
///
/// ```
///            request                flushed, nothing new
///   idle ─────────────▶ flushing ─────────────────────────▶ idle
///                         │  ▲ flushed, wanted meanwhile
///                         └──┘
/// ```
/// A failed fsync is never repeated: the log goes offline.
final class GroupCommit {
    private final PartitionLog log;
    private final Workers workers;
    private final Mailbox owner;
    private final Runnable onFlushed;
    private final Consumer<DiskException> onFailed;
    private boolean flushing;
    private boolean wanted;

    GroupCommit(
            PartitionLog log,
            Workers workers,
            Mailbox owner,
            Runnable onFlushed,
            Consumer<DiskException> onFailed) {
        this.log = log;
        this.workers = workers;
        this.owner = owner;
        this.onFlushed = onFlushed;
        this.onFailed = onFailed;
    }

    /// Everything in the log now is to become durable soon.
    void request() {
        wanted = true;
        if (!flushing) {
            begin();
        }
    }

    boolean isIdle() {
        return !flushing;
    }

    private void begin() {
        wanted = false;
        Flush flush = log.beginFlush();
        if (flush == null) {
            return; // All durable already, or offline, of which everybody was told.
        }
        flushing = true;
        workers.call(
                        Workers.Kind.FLUSH,
                        owner,
                        () -> {
                            flush.run();
                            return flush;
                        })
                .then(this::flushed, this::failed);
    }

    private void flushed(Flush flush) {
        flushing = false;
        log.completeFlush(flush);
        onFlushed.run();
        if (wanted) {
            begin();
        }
    }

    private void failed(Throwable failure) {
        flushing = false;
        DiskException cause =
                failure instanceof DiskException disk
                        ? disk
                        : new DiskException(
                                DiskException.Kind.IO,
                                "",
                                "A flush ended unexpectedly: " + failure,
                                failure);
        log.failFlush(cause);
        onFailed.accept(cause);
    }
}
