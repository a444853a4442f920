/// The segmented log of a partition: append, read, flush, recover, retain, compact.
///
/// Last stop on the path of a produced record, first on the path of a fetched one. [io.sluice.log.PartitionLog] is the front door; behind it an append
/// goes LogAppender → BatchValidator → ProducerLedger → LogWriter → ActiveSegment → SparseIndex, then [io.sluice.log.Flush]. A log belongs to one shard's thread; whatever may
/// wait for the disk is an object that a worker runs. Nothing here opens a file but through the disk door, asks the time but of the clock, or
/// starts a thread.
@NullMarked
package io.sluice.log;

import org.jspecify.annotations.NullMarked;
