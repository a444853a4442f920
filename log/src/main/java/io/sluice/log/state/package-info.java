/// What a log knows besides its bytes, derived from the batches' headers: who wrote (the producers) and under which leader.
///
/// State belongs to the partition's shard; a [io.sluice.log.state.LogSnapshot] is immutable and written by a worker.
@NullMarked
package io.sluice.log.state;

import org.jspecify.annotations.NullMarked;
