/// One file of batches and its sparse index: the last rooms on the path of an append, the first on the path of a read.
///
/// [io.sluice.log.segment.ActiveSegment] takes new batches, [io.sluice.log.segment.RangeFinder] finds what a read asked for. State here belongs to
/// the partition's shard; [io.sluice.log.segment.Seal] and [io.sluice.log.segment.Verification] carry what a worker needs and are run there. Nothing
/// here knows of producers, epochs, retention or settings.
@NullMarked
package io.sluice.log.segment;

import org.jspecify.annotations.NullMarked;
