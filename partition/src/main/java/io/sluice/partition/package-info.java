/// A replica's life: the shard that owns it, its role, what is acknowledged and what may be read.
///
/// A produced batch enters at [io.sluice.partition.Partition#append], on the owning shard's thread, is given to the log, and its ack waits in
/// [io.sluice.partition.LeaderRole] for what the producer asked for. [io.sluice.partition.GroupCommit] drives the fsync behind the disk door.
/// A fetch reads up to the high watermark, and may wait in [io.sluice.partition.TailWaiters] for more. Decisions are pure
/// ([io.sluice.partition.LeaderRole]); nothing here blocks, and nothing here knows a protocol.
@NullMarked
package io.sluice.partition;

import org.jspecify.annotations.NullMarked;
