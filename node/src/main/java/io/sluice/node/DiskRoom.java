package io.sluice.node;

import io.sluice.env.Clock;
import io.sluice.env.Disk;
import io.sluice.env.Mailbox;
import io.sluice.env.Workers;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether this broker's data disk counts as full, which it tells the controller with its signs of life.
///
/// ```
///                an append was refused for want of room
///   has room ──────────────────────────────────────────────▶ full ──┐ refused again, or too little room
///      ▲                                                      │ ▲     │
///      └── nothing was refused for a while, and a look ───────┘ └─────┘
///          finds more free than the margin
/// ```
/// The while and the margin keep leaderships from going to and fro: a disk on which something small fits again is as good as full. Owned by the controller's mailbox.
final class DiskRoom {
    private static final Logger LOG = LoggerFactory.getLogger(DiskRoom.class);

    /// How long a disk counts as full after the last refusal, at least.
    static final Duration AFTER_A_REFUSAL = Duration.ofSeconds(5);

    /// What has to be free before it does not count as full any more; of a small disk a twentieth.
    static final long MARGIN_BYTES = 256L << 20;

    private static final int MARGIN_PART = 20;

    private final Disk disk;
    private final Workers workers;
    private final Clock clock;
    private final Mailbox owner;
    private final LongAdder refusals;
    private long counted;
    private long lastRefusal;
    private boolean full;
    private boolean looking;

    /// @param refusals counts the appends that were refused for want of room
    DiskRoom(Disk disk, Workers workers, Clock clock, Mailbox owner, LongAdder refusals) {
        this.disk = disk;
        this.workers = workers;
        this.clock = clock;
        this.owner = owner;
        this.refusals = refusals;
    }

    /// To be asked often: it is looked for room when it is asked.
    boolean isFull() {
        long now = clock.monotonicNanos();
        long all = refusals.sum();
        if (all != counted) {
            counted = all;
            lastRefusal = now;
            if (!full) {
                full = true;
                LOG.warn(
                        "The data disk is full: other brokers lead what they can until there is room. Lower retention, move replicas away, or make the disk larger");
            }
        } else if (full && !looking && now - lastRefusal >= AFTER_A_REFUSAL.toNanos()) {
            look();
        }
        return full;
    }

    private void look() {
        looking = true;
        workers.call(Workers.Kind.HOUSEKEEPING, owner, this::hasMargin)
                .then(
                        roomy -> {
                            looking = false;
                            if (roomy && refusals.sum() == counted) {
                                full = false;
                                LOG.info("The data disk has room again");
                            }
                        },
                        failure -> {
                            looking = false;
                            LOG.warn(
                                    "How much room the data disk has cannot be found out; it counts as full",
                                    failure);
                        });
    }

    private boolean hasMargin() {
        return disk.usableBytes() >= Math.min(MARGIN_BYTES, disk.totalBytes() / MARGIN_PART);
    }
}
