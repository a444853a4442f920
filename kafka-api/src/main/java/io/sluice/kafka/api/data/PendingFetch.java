package io.sluice.kafka.api.data;

import io.sluice.env.Mailbox;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.partition.Partition;
import io.sluice.partition.Partition.Wait;
import io.sluice.partition.ReadOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A fetch under way: reads its partitions in order until there is enough, an error, or no time left (Q16).
///
/// ```
///            enough, error, or max wait 0
///   reading ──────────────────────────────▶ done
///     ▲  │ too little                        ▲
///     │  ▼                        time is up │
///     └─ waiting ─────────────────▶ reading ─┘
///   something new
/// ```
/// Owned by its connection's thread.
final class PendingFetch {
    private final List<FetchSlot> slots;
    private final int minBytes;
    private final int maxBytes;
    private final Duration maxWait;
    private final Mailbox home;
    private final Runnable whenDone;
    private final List<Wait> waits = new ArrayList<>();
    private Mailbox.@Nullable Timer timer;
    private int next;
    private int bytes;
    private boolean failed;
    private boolean lastRound;
    private boolean waiting;

    PendingFetch(List<FetchSlot> slots, FetchRequest request, Mailbox home, Runnable whenDone) {
        this.slots = slots;
        this.minBytes = request.minBytes();
        this.maxBytes = Math.max(0, request.maxBytes());
        this.maxWait = Duration.ofMillis(Math.max(0, request.maxWaitMs()));
        this.home = home;
        this.whenDone = whenDone;
    }

    void start() {
        lastRound = maxWait.isZero() || minBytes <= 0;
        readRound();
    }

    private void readRound() {
        next = 0;
        bytes = 0;
        failed = false;
        readOn();
    }

    /// Reads one partition after the other; goes on at once where the owner is this thread, and by its reply elsewhere.
    private void readOn() {
        while (next < slots.size()) {
            FetchSlot slot = slots.get(next);
            next++;
            Partition partition = slot.partition();
            if (partition == null || !slot.isReadable()) {
                failed |= slot.error() != ErrorCode.NONE;
                continue;
            }
            int room = maxBytes - bytes;
            if (slot.isCaughtUp() || (room <= 0 && bytes > 0)) {
                continue;
            }
            var reply =
                    partition.read(
                            slot.target().fetchOffset(),
                            Math.min(room, slot.target().maxBytes()),
                            bytes == 0,
                            home);
            if (!reply.isDone()) {
                reply.then(
                        outcome -> {
                            take(slot, outcome);
                            readOn();
                        },
                        failure -> {
                            throw new IllegalStateException("a read never fails this way", failure);
                        });
                return;
            }
            take(slot, reply.value());
        }
        roundDone();
    }

    private void take(FetchSlot slot, ReadOutcome outcome) {
        slot.take(outcome);
        bytes += slot.sizeInBytes();
        failed |= slot.error() != ErrorCode.NONE;
    }

    private void roundDone() {
        if (bytes >= minBytes || failed || lastRound) {
            finish();
        } else {
            await();
        }
    }

    private void await() {
        waiting = true;
        if (timer == null) {
            timer =
                    home.schedule(
                            maxWait,
                            () -> {
                                lastRound = true;
                                wake();
                            });
        }
        for (FetchSlot slot : slots) {
            Partition partition = slot.partition();
            if (partition != null && waiting) {
                waits.add(partition.awaitBeyond(slot.newsAfter(), home, this::wake));
            }
        }
    }

    private void wake() {
        if (!waiting) {
            return;
        }
        waiting = false;
        for (Wait wait : waits) {
            wait.cancel();
        }
        waits.clear();
        for (FetchSlot slot : slots) {
            slot.drop();
        }
        readRound();
    }

    private void finish() {
        if (timer != null) {
            timer.cancel();
        }
        whenDone.run();
    }
}
