/// Lanes: who gets a slot, in which order, and that every slot comes back.
///
/// The middle of a message's path: [io.sluice.listener.lane.Lanes] takes it in from a source, [io.sluice.listener.lane.Lane] decides,
/// [io.sluice.listener.lane.JobRun] works, and back through Lanes to the source. Lane and [io.sluice.listener.lane.KeyOrder] are plain
/// machines without threads or time, guarded by the lock of Lanes. Nothing here knows what a source is made of, and no lock is held while
/// foreign code runs.
@NullMarked
package io.sluice.listener.lane;

import org.jspecify.annotations.NullMarked;
