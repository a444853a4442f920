/// A world on one thread: virtual time, seeded randomness, mailboxes and workers without threads.
///
/// Everything that happens is an event in one queue, ordered by virtual time and then by number, so that a seed determines a run to the
/// last byte. The simulated disk is in `simulation.disk`, the network in `simulation.network`, the shared metadata store in
/// `simulation.coordination`; the scenario that drives the log is in `simulation.log`, the one for the metadata file in `simulation.metadata`, the one for whole
/// clusters in `simulation.cluster`. Nothing here may look at the real clock, start a thread or iterate over a collection
/// without a defined order.
@NullMarked
package io.sluice.simulation;

import org.jspecify.annotations.NullMarked;
