/// A partition's log over the simulated disk: producers, readers and housekeeping against faults, and what must hold all the time.
///
/// [io.sluice.simulation.log.LogScenario] decides what happens, [io.sluice.simulation.log.LogShard] drives the log as a broker's shard
/// would, [io.sluice.simulation.log.LogModel] remembers what the log has promised, and one class for each invariant compares the two.
@NullMarked
package io.sluice.simulation.log;

import org.jspecify.annotations.NullMarked;
