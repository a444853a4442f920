package io.sluice.partition;

/// Decides when a leader hands on what was appended, to its followers and to its disk: at once, or when those who were just told have come back with more.
///
/// A round through followers and disks costs much the same for one batch as for fifty. Producers that wait for an answer come back together, within
/// some hundred microseconds of their answers; handing on the first to arrive would leave the others a whole round behind, and make two rounds of one.
/// Where waiting has been in vain, it is not tried again for a while, twice as long each time.
///
/// Pure. Owned by its shard.
final class Gathering {
    private static final int DOUBLINGS_MAX = 8;

    private int expected;
    private int arrived;
    private int inVain;
    private int rest;

    /// A batch is in the log. True when it is time to hand on.
    boolean appended() {
        arrived++;
        return isDue();
    }

    /// True when all who may come have come, or nobody is waited for.
    boolean isDue() {
        return rest > 0 || arrived >= expected;
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
        } else if (arrived * 2 >= expected) {
            inVain = 0;
        } else {
            inVain = Math.min(inVain + 1, DOUBLINGS_MAX);
            rest = 1 << inVain;
        }
        arrived = 0;
    }
}
