/// The metadata store of a simulated cluster: one tree, sessions of several processes, and lines between them that break.
///
/// On one thread, in virtual time, from a seed. What ZooKeeper may do to a broker this may do too: lose the answer of a commit, end a session before the
/// process notices, tell of changes late and in parts.
@NullMarked
package io.sluice.simulation.coordination;

import org.jspecify.annotations.NullMarked;
