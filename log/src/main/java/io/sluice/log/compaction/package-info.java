/// Keeps only the last record of each key.
///
/// [io.sluice.log.compaction.CompactionPolicy] decides when, [io.sluice.log.compaction.RecordFilter] what stays; both are pure. [io.sluice.log.compaction.Compaction]
/// does it on a worker, over sealed segments only, into new files; [io.sluice.log.segment.SegmentSwap] puts them in the place of the old ones so that a
/// crash at any point leaves one or the other. Offsets never change.
@NullMarked
package io.sluice.log.compaction;

import org.jspecify.annotations.NullMarked;
