/// Whole clusters on one thread: brokers, their machines and disks, the metadata store, clients, and everything that can go wrong between them.
///
/// [io.sluice.simulation.cluster.ClusterScenario] runs one seed: draws a cluster, lets the [io.sluice.simulation.cluster.Nemesis] torment it, then stops all faults and demands
/// that everybody catches up. A [io.sluice.simulation.cluster.SimBroker] runs the same [io.sluice.node.Node] as a real broker. Clients are in `cluster.client`, what must never happen
/// in `cluster.invariant`. Everything is owned by its run.
@NullMarked
package io.sluice.simulation.cluster;

import org.jspecify.annotations.NullMarked;
