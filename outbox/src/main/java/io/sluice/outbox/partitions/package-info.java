/// Old events go with their partitions instead of being deleted: no dead rows, nothing for vacuum.
///
/// Used by the housekeeping thread, on a connection of its own, since detaching a partition waits for open transactions.
@NullMarked
package io.sluice.outbox.partitions;

import org.jspecify.annotations.NullMarked;
