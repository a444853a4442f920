/// What brokers say to each other: followers fetch from leaders, leaders propose in-sync sets, everybody sends heartbeats to the controller.
///
/// Beside the path of a message: [io.sluice.replication.ReplicaFetcher] is a client of the same Fetch API that consumers use, and hands what it got
/// to the partition. Each class is owned by one mailbox, a shard's or the controller's; all of the world is [io.sluice.env.Network] and
/// [io.sluice.env.Clock]. Nothing here decides who leads or what is committed.
@NullMarked
package io.sluice.replication;

import org.jspecify.annotations.NullMarked;
