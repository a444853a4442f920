/// The only doors out of the pure code: time, randomness, files, other threads, the metadata store.
///
/// Code marked `[env]` on the map reaches the world through these interfaces and nowhere else, and never blocks on
/// its owner's thread. `env-os` implements them for production, `simulation` for tests; both pass the same
/// contract tests. Nothing here may name a socket, a thread or a file system class.
@NullMarked
package io.sluice.env;

import org.jspecify.annotations.NullMarked;
