/// The record batch: the same bytes on the wire, on disk and in the consumer.
///
/// The ground everything stands on: pure functions and views over buffers. [io.sluice.record.RecordBatch] is the header that the
/// broker reads and patches; the records inside are opened only by compaction, time look-ups and tools. Nothing here may touch a clock, a
/// file, a thread or randomness.
@NullMarked
package io.sluice.record;

import org.jspecify.annotations.NullMarked;
