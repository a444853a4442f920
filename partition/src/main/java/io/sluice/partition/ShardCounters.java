package io.sluice.partition;

import io.sluice.env.Durations;
import java.util.concurrent.atomic.LongAdder;

/// What the shards count, for health and metrics. Thread-safe: adders.
public final class ShardCounters {
    public final LongAdder partitionsOpen = new LongAdder();
    public final LongAdder partitionsOffline = new LongAdder();
    public final LongAdder logsOpened = new LongAdder();
    public final LongAdder recoveredBytesScanned = new LongAdder();

    /// Damaged places that were found, whether or not they have been mended since.
    public final LongAdder damages = new LongAdder();

    /// Damaged places that are known and not mended: they are refused to readers.
    public final LongAdder damagesPresent = new LongAdder();

    public final LongAdder damagesRepaired = new LongAdder();
    public final LongAdder repairsFailed = new LongAdder();
    public final LongAdder scrubbedBytes = new LongAdder();
    public final LongAdder scrubRounds = new LongAdder();

    /// Appends, of producers or from a leader, that were refused because the disk is full.
    public final LongAdder appendsWithoutRoom = new LongAdder();

    /// Rounds of housekeeping in which nothing was deleted by age, since the machine's date has leapt.
    public final LongAdder agingHeldBack = new LongAdder();

    public final LongAdder inSyncShrinks = new LongAdder();
    public final LongAdder inSyncExpansions = new LongAdder();

    /// Followers' logs that were cut or begun anew to go on as their leader's.
    public final LongAdder logsCut = new LongAdder();

    /// Committed records that a leader lacked, where the topic's owner has agreed to that.
    public final LongAdder committedRecordsCut = new LongAdder();

    /// Each group commit, with everything that it had to force.
    public final Durations flushes = new Durations();
}
