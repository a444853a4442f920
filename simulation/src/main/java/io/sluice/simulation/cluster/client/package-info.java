/// Clients as the real ones behave, over the same frames: a producer, a consumer, one that commits offsets, an administrator.
///
/// They tell the [io.sluice.simulation.cluster.Witness] what they sent and got. Owned by their run.
@NullMarked
package io.sluice.simulation.cluster.client;

import org.jspecify.annotations.NullMarked;
