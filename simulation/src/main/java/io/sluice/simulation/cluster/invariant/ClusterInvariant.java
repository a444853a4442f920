package io.sluice.simulation.cluster.invariant;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.PartitionLife;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.StoredPlan;
import io.sluice.simulation.coordination.SimCoordination;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Something that must hold all the time. Each kind of news has a method; an invariant looks at those that matter to it.
public abstract class ClusterInvariant {
    private final Facts facts;

    protected ClusterInvariant(Facts facts) {
        this.facts = facts;
    }

    protected Facts facts() {
        return facts;
    }

    /// A client was told that its batch is safe.
    public void acked(History.Committed batch, History.Sent sent) {}

    /// Something is known to be committed, by an ack or by a reader, that was not known before.
    public void committed(PartitionLife partition, History.Committed batch) {}

    /// What is committed somewhere is not what was committed there before.
    public void contradicted(PartitionLife partition, History.Committed before, String now) {}

    /// A leader told a reader how far the partition is committed.
    public void watermark(PartitionLife partition, int epoch, long highWatermark, String reader) {}

    /// The plan in the store has changed.
    public void planChanged(@Nullable StoredPlan before, StoredPlan after) {}

    /// Anything in the store has changed.
    public void storeChanged(
            SimCoordination by,
            List<Change> changes,
            SortedMap<String, Node> before,
            SortedMap<String, Node> after) {}

    /// Something has happened in a broker.
    public void brokerRan(SimBroker broker, io.sluice.node.Node node) {}

    /// Now and then: a look at all disks.
    public void checkpoint() {}

    protected void require(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new InvariantBroken(getClass().getSimpleName(), otherwise.get());
        }
    }
}
