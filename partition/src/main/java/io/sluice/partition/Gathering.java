package io.sluice.partition;

/// Decides when a leader hands on what was appended, to its followers and to its disk: at once, or when those who were just told have come back with more.
///
/// A round through followers and disks costs much the same for one batch as for fifty. Producers that wait for an answer come back together, within
/// some hundred microseconds of their answers; handing on the first to arrive would leave the others a whole round behind, and make two rounds of one.
/// Producers that send by the clock do not come back together. Where waiting has been in vain, it is not tried again for a while, twice as long each time.
///
/// Pure. Owned by its shard.
final class Gathering {
    private static final int DOUBLINGS_MAX = 8;

    /// Fewer than this are not waited for: so few rounds more cost less than the wait. One of Kafka's producers has up to five requests under way, and is worth it by itself: with all of them in a round
    /// instead of two or three, a gigabyte takes the brokers a third less of their processors' time.
    private static final int WORTH_WAITING_FOR = 4;

    /// More than can wait for an answer. Without a follower that asks, nothing is handed on, and the count would go on for ever.
    static final int ARRIVED_MAX = 1 << 24;

    private int expected;
    private int arrived;
    private int inVain;
    private int rest;

    /// A batch is in the log. True when it is time to hand on.
    boolean appended() {
        arrived = Math.min(arrived + 1, ARRIVED_MAX);
        return isDue();
    }

    /// True when all who may come have come, or nobody is waited for.
    boolean isDue() {
        return rest > 0 || expected < WORTH_WAITING_FOR || arrived >= expected;
    }

    /// How many batches wait to be handed on.
    int arrived() {
        return arrived;
    }

    /// So many were answered at once, while so many others wait for their answers: all of them could be in the next round.
    void answered(int told, int waiting) {
        expected = told + waiting;
    }

    /// Everything that has arrived is handed on.
    void handedOn() {
        if (rest > 0) {
            rest--;
        } else if (arrived * 4L >= expected * 3L) {
            // Those who send by the clock bring less than two thirds in the half round that they
            // are given.
            inVain = 0;
        } else if (expected >= WORTH_WAITING_FOR) {
            inVain = Math.min(inVain + 1, DOUBLINGS_MAX);
            rest = 1 << inVain;
        }
        arrived = 0;
    }
}
