package io.sluice.node;

import io.sluice.env.Clock;
import io.sluice.env.Coordination;
import io.sluice.env.Disk;
import io.sluice.env.Entropy;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.Workers;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// All that a broker needs of the world. Immutable.
///
/// @param boot of the machine, another one after every power loss; null where it is not known
/// @param disk rooted at the folder that holds one folder for each partition
/// @param shards owners of partitions
/// @param controller owner of the plan; may be one of the shards
public record NodeDoors(
        @Nullable UUID boot,
        Disk disk,
        Clock clock,
        Entropy entropy,
        Workers workers,
        List<? extends Mailbox> shards,
        Mailbox controller,
        Coordination coordination,
        Network network) {
    public NodeDoors {
        shards = List.copyOf(shards);
    }
}
