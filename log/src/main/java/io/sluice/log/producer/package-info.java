/// Who has written what, so that a producer's retry is not appended twice: sequence numbers, epochs, the last batches.
///
/// Second room on the path of an append. Pure but for writing and reading its snapshot; state belongs to the partition's shard.
@NullMarked
package io.sluice.log.producer;

import org.jspecify.annotations.NullMarked;
