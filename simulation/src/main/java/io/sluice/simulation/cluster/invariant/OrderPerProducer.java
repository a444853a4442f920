package io.sluice.simulation.cluster.invariant;

import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.PartitionLife;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/// The batches of a producer are in a partition in the order in which it sent them, with none left out before one that is there.
public final class OrderPerProducer extends ClusterInvariant {
    private final Map<String, NavigableMap<Integer, Long>> offsets = new HashMap<>();

    public OrderPerProducer(Facts facts) {
        super(facts);
    }

    @Override
    public void committed(PartitionLife partition, History.Committed batch) {
        History.Sent sent = facts().history().find(partition, batch.checksum());
        require(sent != null, () -> partition + ": nobody has sent " + batch);
        if (sent == null || !sent.isSafe()) {
            return;
        }
        NavigableMap<Integer, Long> own =
                offsets.computeIfAbsent(sent.producer() + " " + partition, _ -> new TreeMap<>());
        own.put(sent.number(), batch.baseOffset());
        Map.Entry<Integer, Long> before = own.lowerEntry(sent.number());
        Map.Entry<Integer, Long> after = own.higherEntry(sent.number());
        require(
                (before == null || before.getValue() < batch.baseOffset())
                        && (after == null || after.getValue() > batch.baseOffset()),
                () ->
                        sent
                                + " is at "
                                + batch.baseOffset()
                                + ", the one before at "
                                + before
                                + ", the one after at "
                                + after);
    }
}
