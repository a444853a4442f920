/// Topics as a source, through a consumer group: more jobs at once than there are partitions, and commits only of what is done.
///
/// The first and the last step of a message's path. [io.sluice.listener.kafka.ConsumerLoop] owns the consumer and everything that is known about its
/// partitions, on one thread; verdicts reach it through a queue. [io.sluice.listener.kafka.PartitionProgress] is a plain machine.
@NullMarked
package io.sluice.listener.kafka;

import org.jspecify.annotations.NullMarked;
