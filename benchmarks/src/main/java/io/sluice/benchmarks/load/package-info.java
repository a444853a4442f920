/// The load generators: raw connections with prebuilt frames where the broker's cost per request is in question, the ordinary Java clients where a
/// user's experience is.
///
/// Each runs on the thread that calls it, is bounded by a duration, and can be run again to separate the warm-up from the measurement. The frames are
/// written by hand here rather than with the broker's own codec, so that a mistake in that codec cannot hide on both sides of the socket.
@NullMarked
package io.sluice.benchmarks.load;

import org.jspecify.annotations.NullMarked;
