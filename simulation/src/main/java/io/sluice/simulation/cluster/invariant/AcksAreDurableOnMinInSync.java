package io.sluice.simulation.cluster.invariant;

import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.TopicShape;

/// When a producer is told that its batch is safe, as many disks have it as the topic demands, and would have it after a power loss.
public final class AcksAreDurableOnMinInSync extends ClusterInvariant {
    private static final long RECENTLY_NANOS = 10_000_000_000L;

    public AcksAreDurableOnMinInSync(Facts facts) {
        super(facts);
    }

    @Override
    public void acked(History.Committed batch, History.Sent sent) {
        TopicShape topic = facts().cluster().shape().topic();
        long recently = facts().cluster().world().clock().monotonicNanos() - RECENTLY_NANOS;
        int disks = 0;
        for (SimBroker broker : facts().cluster().brokers()) {
            if (broker.wasWipedSince(recently)) {
                return; // It may have had it when the ack was sent.
            }
            var log = facts().logs().of(broker.id(), sent.partition().id());
            disks += (topic.pageCache() ? log.has(batch) : log.hasDurably(batch)) ? 1 : 0;
        }
        int found = disks;
        require(
                found >= topic.minInSync() || (topic.pageCache() && found > 0),
                () -> batch + " is on " + found + " disks");
    }
}
