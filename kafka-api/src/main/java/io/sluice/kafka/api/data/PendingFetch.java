package io.sluice.kafka.api.data;

import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Peer;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.partition.Partition.Wait;
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
/// Where all partitions' topics favour throughput, little is left to become more for some milliseconds. A client that goes away ends its fetch.
///
/// Owned by its connection's thread.
final class PendingFetch {
    /// What one answer may hold, whatever the client asks for; the first batch always fits.
    private static final int ANSWER_MAX_BYTES = 64 << 20;

    /// Less than this is worth waiting for more, where throughput is favoured.
    private static final int GATHER_BYTES = 64 << 10;

    private static final Duration GATHER = Duration.ofMillis(10);

    /// As long as a fetch waits, it holds what it has asked for. Whoever would wait longer gets an empty answer and asks again.
    static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    /// For so long at most an answer is held that has nothing but what the client was told just before: it would ask again at once, thousands of times in a second.
    static final Duration BEFORE_THE_SAME_AGAIN = Duration.ofMillis(100);

    private final List<FetchSlot> slots;
    private final int minBytes;
    private final int maxBytes;
    private final Duration maxWait;
    private final Peer peer;
    private final Mailbox home;
    private final Runnable whenDone;
    private final List<Wait> waits = new ArrayList<>();
    private Mailbox.@Nullable Timer timer;
    private int next;
    private int bytes;
    private boolean urgent;
    private boolean refusedAgain;
    private boolean lastRound;
    private boolean waiting;
    private boolean finished;
    private final Runnable abandon = this::abandon;

    PendingFetch(List<FetchSlot> slots, FetchRequest request, Peer peer, Runnable whenDone) {
        this.slots = slots;
        this.maxBytes = Math.clamp(request.maxBytes(), 0, ANSWER_MAX_BYTES);
        // More than fits would never come together.
        this.minBytes = Math.min(request.minBytes(), maxBytes);
        this.maxWait =
                Duration.ofMillis(Math.clamp(request.maxWaitMs(), 0, LONGEST_WAIT.toMillis()));
        this.peer = peer;
        this.home = peer.home();
        this.whenDone = whenDone;
    }

    void start() {
        lastRound = maxWait.isZero() || minBytes <= 0;
        goOn(this::readRound);
    }

    private void readRound() {
        next = 0;
        bytes = 0;
        urgent = false;
        refusedAgain = false;
        readOn();
    }

    /// Reads one partition after the other; goes on at once where the owner is this thread, and by its reply elsewhere.
    private void readOn() {
        while (next < slots.size()) {
            FetchSlot slot = slots.get(next);
            next++;
            int room = maxBytes - bytes;
            if (!slot.isWorthReading() || (room <= 0 && bytes > 0)) {
                note(slot);
                continue;
            }
            Reply<?> reply = slot.read(Math.min(room, slot.target().maxBytes()), bytes == 0, home);
            if (!reply.isDone()) {
                reply.whenDone(
                        done ->
                                goOn(
                                        () -> {
                                            taken(slot, done.isFailed());
                                            readOn();
                                        }));
                return;
            }
            taken(slot, reply.isFailed());
        }
        roundDone();
    }

    /// The client waits: a bug on the way ends the fetch, and it is told.
    private void goOn(Runnable step) {
        Crossing.step(home, "A fetch", step, _ -> giveUp());
    }

    private void giveUp() {
        if (finished) {
            return; // What was read belongs to the answer by now.
        }
        stopWaiting();
        for (FetchSlot slot : slots) {
            slot.refuse(ErrorCode.UNKNOWN_SERVER_ERROR);
        }
        finish();
    }

    private void taken(FetchSlot slot, boolean failed) {
        if (failed) {
            slot.fail();
        }
        bytes += slot.sizeInBytes();
        note(slot);
    }

    private void note(FetchSlot slot) {
        // What happens while it waits already is news, and ends that.
        boolean again = timer == null && slot.isRefusedAgain();
        refusedAgain |= again;
        urgent |= slot.isUrgent() && !again;
    }

    private void roundDone() {
        if (urgent || lastRound || peer.isGone()) {
            finish();
        } else if (bytes < minBytes) {
            await();
        } else if (bytes < GATHER_BYTES && favoursThroughput()) {
            gather();
        } else {
            finish();
        }
    }

    private boolean favoursThroughput() {
        for (FetchSlot slot : slots) {
            if (!slot.favoursThroughput()) {
                return false;
            }
        }
        return true;
    }

    /// There is something, but little: one more look in a moment.
    private void gather() {
        if (timer != null) {
            timer.cancel();
        }
        lookOnceMoreIn(GATHER.compareTo(maxWait) < 0 ? GATHER : maxWait);
    }

    private void await() {
        if (timer == null) {
            lookOnceMoreIn(
                    refusedAgain && BEFORE_THE_SAME_AGAIN.compareTo(maxWait) < 0
                            ? BEFORE_THE_SAME_AGAIN
                            : maxWait);
        }
        waiting = true;
        for (FetchSlot slot : slots) {
            if (waiting && slot.error() == ErrorCode.NONE) {
                waits.add(slot.await(home, this::wake));
            }
        }
    }

    private void lookOnceMoreIn(Duration time) {
        waiting = true;
        peer.waiting(abandon);
        timer =
                home.schedule(
                        time,
                        () -> {
                            lastRound = true;
                            wake();
                        });
    }

    private void wake() {
        if (!waiting) {
            return;
        }
        goOn(
                () -> {
                    stopWaiting();
                    readRound();
                });
    }

    private void stopWaiting() {
        waiting = false;
        for (Wait wait : waits) {
            wait.cancel();
        }
        waits.clear();
        for (FetchSlot slot : slots) {
            slot.drop();
        }
    }

    /// The client is gone. Between rounds only: a read that is under way finishes first.
    private void abandon() {
        lastRound = true;
        if (waiting) {
            stopWaiting();
            finish();
        }
    }

    private void finish() {
        if (timer != null) {
            timer.cancel();
        }
        peer.doneWaiting(abandon);
        finished = true;
        whenDone.run();
    }
}
