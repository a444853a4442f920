package io.sluice.partition;

import io.sluice.record.PartitionId;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the operator that a partition refuses records because the disk is full: when it begins, once a minute while it goes on, and when it is over. Producers are told each time.
///
/// Owned by its term.
final class FullDiskNotice {
    private static final Logger LOG = LoggerFactory.getLogger(FullDiskNotice.class);
    private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private final PartitionId id;
    private long refusals;
    private long nextNanos;

    FullDiskNotice(PartitionId id) {
        this.id = id;
    }

    void refused(String sentence, long nowNanos) {
        if (refusals == 0 || nowNanos - nextNanos >= 0) {
            LOG.warn("{} refuses records, reads go on. {}", id, sentence);
            nextNanos = nowNanos + PAUSE_NANOS;
        }
        refusals++;
    }

    void taken() {
        if (refusals > 0) {
            LOG.info("{} takes records again; {} request(s) were refused", id, refusals);
            refusals = 0;
        }
    }
}
