/// Consumer groups over the Kafka protocol: requests become commands of the group machine, its replies become responses.
///
/// [io.sluice.kafka.api.groups.GroupCoordinators] finds the coordinator of a group by hashing its name (Q18), crosses to the shard that owns its
/// partition, and comes back with the answer. The handlers translate and decide nothing.
@NullMarked
package io.sluice.kafka.api.groups;

import org.jspecify.annotations.NullMarked;
