/// Sluice beside Apache Kafka, interleaved, in ratios.
///
/// [Compare] is the command. It takes brokers from `peer` (a broker is a process, never a library), puts the loads of `load` on them as the
/// measures of `measure` say, and prints what `report` makes of the readings. Nothing here is part of the broker, and the broker knows nothing of it.
@NullMarked
package io.sluice.benchmarks;

import org.jspecify.annotations.NullMarked;
