/// `sluice broker …` and `sluice rebalance`: brokers as parts of a cluster, through Kafka's admin API.
///
/// Owned by the main thread.
@NullMarked
package io.sluice.cli.broker;

import org.jspecify.annotations.NullMarked;
