/// The metadata store of a cluster: the [io.sluice.env.Coordination] door on ZooKeeper, and ZooKeeper servers inside brokers.
///
/// Edge code: it has threads and sockets of its own, and nothing of it is loaded on a single node, which keeps its metadata in a file.
@NullMarked
package io.sluice.zookeeper;

import org.jspecify.annotations.NullMarked;
