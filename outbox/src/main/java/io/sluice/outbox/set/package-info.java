/// Set mode: the outbox on databases without PostgreSQL's snapshots, with portable SQL. Tested on MariaDB.
///
/// What is in the table is not published yet; what is published is deleted, in bulk. So nobody who commits late is missed, and nothing has to be
/// marked. As in log mode, aggregates are divided into lanes, each read by one relay with an epoch, and numbers of events are reproducible: the list
/// of what is being sent is saved with the lane before it is sent ([io.sluice.outbox.set.SetLane]).
@NullMarked
package io.sluice.outbox.set;

import org.jspecify.annotations.NullMarked;
