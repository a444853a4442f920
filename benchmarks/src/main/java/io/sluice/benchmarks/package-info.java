/// Sluice beside Apache Kafka, interleaved, in ratios.
@NullMarked
package io.sluice.benchmarks;

import org.jspecify.annotations.NullMarked;
