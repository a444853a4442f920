/// One handler per Kafka API.
@NullMarked
package io.sluice.kafka.api;

import org.jspecify.annotations.NullMarked;
