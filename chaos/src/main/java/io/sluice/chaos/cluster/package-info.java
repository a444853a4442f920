/// The clusters that are put to the test, as processes, seen through Kafka's public Admin API only.
@NullMarked
package io.sluice.chaos.cluster;

import org.jspecify.annotations.NullMarked;
