/// Runs log-backed machines: state that is decided in memory, remembered in a partition and rebuilt from it.
///
/// Stands behind the handlers of the group APIs (later: transactions, queues, timers) and in front of one partition of an
/// internal topic. [io.sluice.coordinator.Coordinator] is the driver; it moves things and decides nothing. A machine
/// ([io.sluice.coordinator.Machine]) decides and does nothing else; [io.sluice.coordinator.CoordinatorLog] is the door to the
/// partition. Everything here is owned by the shard that owns the partition, never blocks, and never reads a clock but through
/// `env`. See `docs/decisions/0007-coordinators-apply-after-acceptance.md`.
@NullMarked
package io.sluice.coordinator;

import org.jspecify.annotations.NullMarked;
