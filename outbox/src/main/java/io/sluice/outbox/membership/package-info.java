/// Who is alive and who owns which lane: leases on the database's clock, an epoch per lane, a lock that tells of a death at once.
///
/// The session thread renews and listens; the watch thread waits for the neighbour's lock; lanes are claimed and given away
/// by the publishing thread. Locks and notifications only make things fast; what is true is decided by the epoch.
@NullMarked
package io.sluice.outbox.membership;

import org.jspecify.annotations.NullMarked;
