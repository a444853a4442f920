/// Conversations between brokers, with a network that does what the test says.
@NullMarked
package io.sluice.replication;

import org.jspecify.annotations.NullMarked;
