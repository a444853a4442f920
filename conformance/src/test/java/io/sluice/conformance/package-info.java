/// Real clients against the real process: every test here talks to a broker that runs as its users run it, over a socket.
///
/// A class stands for a client or a subject and has a tag, so that it can be run alone (`docs/testing.md`). `broker` holds the broker's process, `child`
/// the clients that need a process of their own, `scenario` the programs that such a process runs.
@NullMarked
package io.sluice.conformance;

import org.jspecify.annotations.NullMarked;
