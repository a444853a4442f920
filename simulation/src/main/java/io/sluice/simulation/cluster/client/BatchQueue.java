package io.sluice.simulation.cluster.client;

import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.PartitionLife;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A producer's batches for one partition that are not acknowledged, in the order of their sequence numbers. Owned by its producer.
///
/// As in Kafka's producer, a batch that has to be sent again waits until all before it are done, and new ones wait behind it.
///
/// Unlike there, the first batch of all is alone until it is acknowledged. A leader that knows nothing of a producer takes any sequence number for its first, as Kafka's does: one that leads since the first batch was sent would take the second one before it.
final class BatchQueue {
    private static final int LONGEST = 10;

    private final PartitionLife partition;
    private final int inFlightMax;
    private final List<Batch> batches = new ArrayList<>();
    private int nextSequence;
    private int numbers;
    private int inFlight;
    private boolean begun;

    static final class Batch {
        private final History.Sent sent;
        private final ByteBuffer bytes;
        private final int records;
        private boolean inFlight;
        private boolean isRetry;

        Batch(History.Sent sent, ByteBuffer bytes, int records) {
            this.sent = sent;
            this.bytes = bytes;
            this.records = records;
        }

        History.Sent sent() {
            return sent;
        }

        ByteBuffer bytes() {
            return bytes;
        }

        int records() {
            return records;
        }
    }

    BatchQueue(PartitionLife partition, int inFlightMax) {
        this.partition = partition;
        this.inFlightMax = inFlightMax;
    }

    PartitionLife partition() {
        return partition;
    }

    int nextSequence() {
        return nextSequence;
    }

    int nextNumber() {
        return numbers;
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    boolean isFull() {
        return batches.size() >= LONGEST;
    }

    void add(Batch batch) {
        batches.add(batch);
        nextSequence += batch.records;
        numbers++;
    }

    /// The next to send, if one may be sent now.
    @Nullable Batch next() {
        if (inFlight >= (begun ? inFlightMax : 1)) {
            return null;
        }
        for (int i = 0; i < batches.size(); i++) {
            Batch batch = batches.get(i);
            if (!batch.inFlight) {
                return batch.isRetry && i > 0 ? null : batch;
            }
        }
        return null;
    }

    void underWay(Batch batch) {
        batch.inFlight = true;
        inFlight++;
    }

    void done(Batch batch) {
        begun = true;
        inFlight--;
        batches.remove(batch);
    }

    void again(Batch batch) {
        inFlight--;
        batch.inFlight = false;
        batch.isRetry = true;
    }

    /// Everything before it is acknowledged.
    boolean isFirst(Batch batch) {
        return batches.getFirst() == batch;
    }

    @Override
    public String toString() {
        return batches.isEmpty()
                ? "nothing waiting"
                : batches.size() + " waiting from " + batches.getFirst().sent();
    }
}
