/// Kafka's own clients, as users use them, writing down what they do and see.
@NullMarked
package io.sluice.chaos.load;

import org.jspecify.annotations.NullMarked;
