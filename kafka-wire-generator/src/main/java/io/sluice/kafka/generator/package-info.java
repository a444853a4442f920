/// Build tool: turns the Kafka message schemas into Java.
@NullMarked
package io.sluice.kafka.generator;

import org.jspecify.annotations.NullMarked;
