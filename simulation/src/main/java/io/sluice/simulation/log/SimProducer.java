package io.sluice.simulation.log;

import io.sluice.log.AppendResult;
import io.sluice.log.AppendResult.Reason;
import io.sluice.record.BatchBuilder;
import io.sluice.record.Compression;
import io.sluice.record.RecordBatch;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.SimClock;
import io.sluice.simulation.SimEntropy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// An idempotent producer: up to five batches under way, each sent again, in order, until it is acknowledged.
///
/// Owned by its run; lives through the log's restarts.
final class SimProducer {
    private static final int MOST_UNDER_WAY = 5;

    private final SimEntropy entropy;
    private final SimClock clock;
    private final LogModel model;
    private final int largestBatch;
    private final long id;
    private short epoch;
    private int nextSequence;
    private int counter;
    private final List<Sent> underWay = new ArrayList<>();

    /// A batch that is not acknowledged yet.
    private static final class Sent {
        private final ByteBuffer bytes;

        /// -1 while the producer does not know that the log has it.
        private long nextOffset = -1;

        /// The same, but not forgotten with the connection.
        private long lastSeenAt = Long.MAX_VALUE;

        Sent(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        void seenAt(long offset) {
            nextOffset = offset;
            lastSeenAt = offset;
        }
    }

    /// @param id -1 for one that is not idempotent
    SimProducer(long id, SimEntropy entropy, SimClock clock, LogModel model, int largestBatch) {
        this.id = id;
        this.entropy = entropy;
        this.clock = clock;
        this.model = model;
        this.largestBatch = largestBatch;
        // Sometimes so that the numbers soon wrap.
        this.nextSequence = entropy.oneIn(3) ? Integer.MAX_VALUE - entropy.below(20) : 0;
    }

    boolean isIdempotent() {
        return id != RecordBatch.NO_PRODUCER_ID;
    }

    /// Sends the first batch that the log is not known to have, or a new one.
    void send(LogShard shard, int leaderEpoch) {
        // Deleted before its producer heard of it: it was durable, and nobody can ask for it again.
        underWay.removeIf(sent -> sent.lastSeenAt <= model.start());
        Sent next = underWay.stream().filter(sent -> sent.nextOffset < 0).findFirst().orElse(null);
        if (next == null) {
            if (underWay.size() == MOST_UNDER_WAY) {
                return;
            }
            next = new Sent(newBatch());
            if (isIdempotent()) {
                underWay.add(next);
            }
        }
        AppendResult result = shard.append(copy(next.bytes), leaderEpoch);
        switch (result) {
            case AppendResult.Appended appended -> next.seenAt(appended.nextOffset());
            case AppendResult.Duplicate duplicate -> {
                requireOriginal(next, duplicate);
                next.seenAt(duplicate.nextOffset());
            }
            // It has no more under way than the log remembers.
            case AppendResult.DuplicateOfOld old ->
                    beginAnew("DuplicatesPointToTheOriginal", old.toString());
            case AppendResult.Rejected rejected -> requireExcuse(rejected);
        }
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
    }

    /// Sends a batch in which one bit of what the checksum covers has changed on the way.
    void sendCorrupt(LogShard shard, int leaderEpoch) {
        ByteBuffer bytes = copy(underWay.isEmpty() ? newForeignBatch() : underWay.getFirst().bytes);
        int at = entropy.between(RecordBatch.CHECKSUMMED_FROM, bytes.limit() - 1);
        bytes.put(at, (byte) (bytes.get(at) ^ (1 << entropy.below(8))));
        long end = shard.log().endOffset();
        AppendResult result = shard.append(bytes, leaderEpoch);
        if (!(result instanceof AppendResult.Rejected) || shard.log().endOffset() != end) {
            throw new InvariantBroken("CorruptBatchesAreRejected", result.toString());
        }
    }

    /// Two batches in one request, of nobody.
    void sendTwo(LogShard shard, int leaderEpoch) {
        ByteBuffer first = newForeignBatch();
        ByteBuffer second = newForeignBatch();
        ByteBuffer both = ByteBuffer.allocate(first.remaining() + second.remaining());
        shard.append(both.put(first).put(second).flip(), leaderEpoch);
    }

    private ByteBuffer newForeignBatch() {
        return new BatchBuilder()
                .add(
                        clock.wallMillis(),
                        utf8("k" + entropy.below(8)),
                        utf8("nobody's " + counter++))
                .build();
    }

    private void requireOriginal(Sent sent, AppendResult.Duplicate duplicate) {
        if (duplicate.nextOffset() <= model.start()) {
            return; // Deleted since.
        }
        ModelBatch original = model.at(duplicate.baseOffset());
        if (!model.hasDamage()
                && (original == null
                        || !original.sameSequence(RecordBatch.at(sent.bytes, 0))
                        || original.nextOffset() != duplicate.nextOffset())) {
            throw new InvariantBroken(
                    "DuplicatesPointToTheOriginal",
                    RecordBatch.at(sent.bytes, 0)
                            + " was answered "
                            + duplicate
                            + ", there is "
                            + original);
        }
    }

    private void requireExcuse(AppendResult.Rejected rejected) {
        boolean excused =
                rejected.reason() == Reason.DISK_FULL || rejected.reason() == Reason.OFFLINE;
        if (!excused) {
            beginAnew("InOrderIsAccepted", rejected.toString());
        }
    }

    /// What damage took cannot be continued: a real producer begins anew. Nothing else is an excuse.
    private void beginAnew(String invariant, String why) {
        if (!model.hasDamage()) {
            throw new InvariantBroken(invariant, why);
        }
        underWay.clear();
        epoch++;
        nextSequence = 0;
    }

    void acknowledged(long durableOffset) {
        while (!underWay.isEmpty()
                && underWay.getFirst().nextOffset >= 0
                && underWay.getFirst().nextOffset <= durableOffset) {
            underWay.removeFirst();
        }
    }

    /// The log was opened again: nobody told the producer what became of the batches under way.
    void reconnected(long endOffset) {
        for (Sent sent : underWay) {
            sent.nextOffset = -1;
            if (sent.lastSeenAt > endOffset) {
                sent.lastSeenAt = Long.MAX_VALUE;
            }
        }
    }

    /// A new instance takes over, when the old one has nothing under way.
    void restart() {
        if (isIdempotent() && underWay.isEmpty()) {
            epoch++;
            nextSequence = 0;
        }
    }

    private ByteBuffer newBatch() {
        int records = entropy.oneIn(4) ? entropy.between(2, 8) : 1;
        int size = entropy.below(entropy.oneIn(6) ? largestBatch : Math.min(200, largestBatch));
        BatchBuilder builder = new BatchBuilder();
        if (entropy.oneIn(10)) {
            builder.compression(Compression.GZIP);
        }
        if (isIdempotent()) {
            builder.producer(id, epoch, nextSequence);
            nextSequence = (int) (((long) nextSequence + records) & Integer.MAX_VALUE);
        }
        for (int i = 0; i < records; i++) {
            boolean tombstone = entropy.oneIn(6);
            String value = "p" + id + "#" + counter++ + "x".repeat(size / records);
            builder.add(
                    clock.wallMillis(),
                    utf8("k" + entropy.below(8)),
                    tombstone ? null : utf8(value));
        }
        return builder.build();
    }

    private static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
