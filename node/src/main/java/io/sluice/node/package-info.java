/// A broker put together out of doors only, so that the one that serves clients and the one that the simulation torments are the same.
///
/// [io.sluice.node.Node] makes everything by hand, in start order: partitions, controller, replication, handlers. What is below it reaches the world by
/// `env`; sockets, threads, files and configuration are the business of `broker`. Owned by the controller's mailbox where nothing else is said.
@NullMarked
package io.sluice.node;

import org.jspecify.annotations.NullMarked;
