/// Producing and fetching: the handlers on the path of a message.
@NullMarked
package io.sluice.kafka.api.data;

import org.jspecify.annotations.NullMarked;
