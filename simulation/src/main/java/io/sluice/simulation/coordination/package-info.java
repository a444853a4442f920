/// A metadata store without an ensemble: one tree, sessions that end, answers that get lost, news that comes late.
///
/// [io.sluice.simulation.coordination.SimStore] is what all processes share, [io.sluice.simulation.coordination.SimCoordination] the door of one of them.
@NullMarked
package io.sluice.simulation.coordination;

import org.jspecify.annotations.NullMarked;
