/// The decisions of the relay: how far a lane is, what a round of publishing consists of, who should own how many lanes.
///
/// Pure: no database, broker, clock or thread. Owned by the relay's publishing thread where it is mutable.
@NullMarked
package io.sluice.outbox.lanes;

import org.jspecify.annotations.NullMarked;
