/// `sluice bench`: load with live progress. Each command says in its help what its numbers mean.
///
/// Latencies are counted from the moment a message was due, never from the moment a busy sender got round to it, so that a
/// stall shows up in every message it delayed (no coordinated omission).
@NullMarked
package io.sluice.cli.bench;

import org.jspecify.annotations.NullMarked;
