/// Queues of Amazon SQS, or of anything with its API, as a source.
///
/// The first and the last step of a message's path. [io.sluice.listener.sqs.SqsSource] polls for exactly the free slots,
/// [io.sluice.listener.sqs.Heartbeat] keeps the leases of what is worked on, [io.sluice.listener.sqs.Teller] tells the queue in batches how it ended,
/// [io.sluice.listener.sqs.Mover] sends copies of what it is not to be the end of: dead letters, and what has failed and is tried again.
/// [io.sluice.listener.sqs.Leases], [io.sluice.listener.sqs.Parked] and [io.sluice.listener.sqs.LastDeliveries] are plain machines.
@NullMarked
package io.sluice.listener.sqs;

import org.jspecify.annotations.NullMarked;
