/// Kafka protocol messages, generated at build time.
@NullMarked
package io.sluice.kafka.wire;

import org.jspecify.annotations.NullMarked;
