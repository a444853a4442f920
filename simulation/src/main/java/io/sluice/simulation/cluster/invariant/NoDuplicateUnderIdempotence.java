package io.sluice.simulation.cluster.invariant;

import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.PartitionLife;
import java.util.HashMap;
import java.util.Map;

/// No batch is committed at two offsets, however often its producer has sent it.
public final class NoDuplicateUnderIdempotence extends ClusterInvariant {
    private final Map<String, Long> places = new HashMap<>();

    public NoDuplicateUnderIdempotence(Facts facts) {
        super(facts);
    }

    @Override
    public void committed(PartitionLife partition, History.Committed batch) {
        History.Sent sent = facts().history().find(partition, batch.checksum());
        if (sent == null || !sent.isSafe()) {
            return;
        }
        Long before = places.put(partition + " " + batch.checksum(), batch.baseOffset());
        require(
                before == null || before == batch.baseOffset(),
                () -> sent + " is at " + before + " and at " + batch.baseOffset());
    }
}
