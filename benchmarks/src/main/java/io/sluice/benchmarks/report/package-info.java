/// From readings to a table: spread over the rounds, ratio between the brokers, and whether the target is met.
///
/// Pure: no clock, no file, no socket.
@NullMarked
package io.sluice.benchmarks.report;

import org.jspecify.annotations.NullMarked;
