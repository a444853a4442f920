/// Build tool: turns the Kafka message schemas into Java.
///
/// Runs inside Maven while `kafka-wire` is built, on whatever Java Maven runs on (17 or newer), and is no part of
/// the broker. `Generator` reads the schemas out of the kafka-clients jar into a [io.sluice.kafka.generator.Schema]
/// each, and the `*Source` classes print them. Single-threaded.
@NullMarked
package io.sluice.kafka.generator;

import org.jspecify.annotations.NullMarked;
