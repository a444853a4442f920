/// A disk that forgets, tears, fills up, fails and rots, by seed.
///
/// It keeps two images: what a running program sees, and what a power loss would leave. Between them lie the writes and the names that
/// nobody has forced yet; a crash keeps some of them. It promises exactly what [io.sluice.env.Disk] promises and nothing that a
/// particular file system happens to do as well.
@NullMarked
package io.sluice.simulation.disk;

import org.jspecify.annotations.NullMarked;
