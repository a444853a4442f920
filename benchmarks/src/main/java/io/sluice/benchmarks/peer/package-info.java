/// The brokers that are compared, as operating-system processes: how each is started, stopped, killed, and what it uses.
///
/// Everything that is known about a broker's cost comes from `/proc`, so that both are measured with the same yardstick and without their help.
@NullMarked
package io.sluice.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
