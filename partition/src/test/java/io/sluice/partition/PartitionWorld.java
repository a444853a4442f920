package io.sluice.partition;

import io.sluice.env.DiskFile;
import io.sluice.env.FileSlice;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.Checkpoints;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.BatchBuilder;
import io.sluice.record.BatchReader;
import io.sluice.record.LogRecord;
import io.sluice.record.PartitionId;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/// One shard with its partitions on a real disk, in time that stands still. Owned by its test.
///
/// A test speaks for a connection whose thread is [#home]; the shard's thread is another one.
public final class PartitionWorld {
    /// How long what nobody waits for stays in the page cache.
    public static final Duration FLUSH_INTERVAL = Duration.ofSeconds(1);

    /// How long producers wait.
    public static final int TIMEOUT_MILLIS = 30_000;

    private static final String CHECKPOINT = "checkpoint";

    public static final UUID TOPIC_ID = new UUID(7, 7);

    public final ManualTime time = new ManualTime();
    public final ManualWorkers workers = new ManualWorkers();
    public final Mailbox owner = time.mailbox();

    /// What partitions take the time from; where it meets a bug, so does what they do.
    public final BuggyClock clock = new BuggyClock(time);

    public final Mailbox home = time.mailbox();
    public final FragileDisk disk;
    public final ShardCounters counters = new ShardCounters();

    /// What leaders have proposed, to be answered by the test.
    public final ManualInSync inSync = new ManualInSync();

    /// The way to other replicas' batches.
    public RepairDoor repair = RepairDoor.NOBODY;

    /// Somebody confirms that this broker has its place.
    public boolean certain = true;

    /// Which lives of the brokers are registered.
    public final Map<Integer, Long> brokerEpochs = new TreeMap<>();

    public final RecoveryPoints points;
    public final Shard shard;
    public final PartitionDirectory directory;

    public PartitionWorld(Path root) {
        this(root, Map.of());
    }

    /// The broker starts again on the same folder, knowing what was checkpointed.
    public PartitionWorld(Path root, Map<String, RecoveryPoint> known) {
        disk = new FragileDisk(root);
        points = new RecoveryPoints(known);
        shard =
                new Shard(
                        owner,
                        new ShardDoors(
                                disk,
                                clock,
                                workers,
                                points,
                                counters,
                                new ReplicationDoors(
                                        inSync,
                                        broker -> brokerEpochs.getOrDefault(broker, -1L),
                                        this::writeCheckpoint,
                                        (wanted, caller) -> repair.fetch(wanted, caller),
                                        () -> certain,
                                        ReplicationDoors.DEFAULT_LAG_TIME_MAX)),
                        FLUSH_INTERVAL);
        directory = new PartitionDirectory(List.of(shard));
    }

    /// What was written down last, as the next start finds it.
    public Map<String, RecoveryPoint> checkpointed() {
        return Checkpoints.read(disk, CHECKPOINT).points();
    }

    /// Writing the checkpoint meets a bug.
    public boolean checkpointHasABug;

    private Reply<Boolean> writeCheckpoint(Mailbox caller) {
        if (checkpointHasABug) {
            throw new IllegalStateException("a bug");
        }
        return workers.call(
                Workers.Kind.HOUSEKEEPING,
                caller,
                () -> {
                    Checkpoints.write(disk, CHECKPOINT, points.all());
                    return true;
                });
    }

    /// Writes down how far everything is, as a broker does now and then.
    public void checkpoint() {
        owner.post(
                () -> {
                    shard.checkpoint();
                    writeCheckpoint(owner);
                });
        settle();
    }

    public static TopicSettings settings(String... namesAndValues) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            given.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        if (TopicSettings.parse(given) instanceof TopicSettings.Parsed.Valid(var settings)) {
            return settings;
        }
        throw new IllegalArgumentException("not settings of a topic: " + given);
    }

    public Partition add(String topic, int index, TopicSettings settings) {
        return directory.add(new PartitionId(topic, index), TOPIC_ID, settings, 0);
    }

    /// Everything that can happen without time happens.
    public void settle() {
        boolean moved = true;
        while (moved) {
            moved = time.turn();
            moved |= workers.runAll();
        }
    }

    /// All but the workers.
    public void turn() {
        time.turn();
    }

    /// The oldest fsync ends, and its owner hears of it.
    public void flushOne() {
        workers.runOne(Workers.Kind.FLUSH);
        turn();
    }

    public int flushesWaiting() {
        return workers.waiting(Workers.Kind.FLUSH);
    }

    /// Opens the log, so that a story can begin with the first append.
    public void open(Partition partition) {
        Reply<Lookup<PartitionStatus>> status = partition.status(home);
        settle();
        require(status);
    }

    public static ByteBuffer batch(String... values) {
        return batchOf(new BatchBuilder(), values);
    }

    public static ByteBuffer batchFrom(long producerId, int sequence, String... values) {
        return batchOf(new BatchBuilder().producer(producerId, (short) 0, sequence), values);
    }

    private static ByteBuffer batchOf(BatchBuilder builder, String... values) {
        for (String value : values) {
            builder.add(LogRecord.of(ManualTime.START_MILLIS, "key", value));
        }
        return builder.build();
    }

    public Reply<AppendOutcome> append(Partition partition, Acks acks, String... values) {
        return partition.append(batch(values), acks, TIMEOUT_MILLIS, home);
    }

    /// Appends and lets it be acknowledged.
    public void appendDurably(Partition partition, String... values) {
        Reply<AppendOutcome> reply = append(partition, Acks.ALL, values);
        settle();
        if (!(require(reply) instanceof AppendOutcome.Acknowledged)) {
            throw new AssertionError("not acknowledged: " + reply);
        }
    }

    /// What a consumer can read from the offset on.
    public List<String> valuesFrom(Partition partition, long offset) {
        return valuesFrom(partition, offset, ReadFrom.LEADER);
    }

    public List<String> valuesFrom(Partition partition, long offset, ReadFrom who) {
        List<String> values = new ArrayList<>();
        long next = offset;
        while (true) {
            Reply<ReadOutcome> reply = partition.read(next, 1 << 20, true, who, home);
            settle();
            if (!(require(reply) instanceof ReadOutcome.Found(Records records, _, _))) {
                throw new AssertionError("nothing can be read: " + reply);
            }
            if (!(records instanceof FileSlice slice)) {
                return values;
            }
            for (RecordBatch batch : batches(slice)) {
                for (LogRecord record : RecordReader.readAll(batch)) {
                    if (record.offset() >= offset) {
                        values.add(text(record));
                    }
                }
                next = batch.nextOffset();
            }
            slice.release();
        }
    }

    public static List<RecordBatch> batches(FileSlice slice) {
        List<RecordBatch> batches = new ArrayList<>();
        BatchReader reader = new BatchReader(slice.read());
        for (RecordBatch batch = reader.next(); batch != null; batch = reader.next()) {
            batches.add(batch);
        }
        return batches;
    }

    private static String text(LogRecord record) {
        ByteBuffer value = record.value();
        return value == null ? "null" : StandardCharsets.UTF_8.decode(value.duplicate()).toString();
    }

    /// A byte of a file goes bad.
    public void damage(String path, long position) {
        try (DiskFile file = disk.open(path)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, position);
            file.write(ByteBuffer.wrap(new byte[] {(byte) ~one.get(0)}), position);
        }
    }

    public static <T> T require(Reply<T> reply) {
        if (!reply.isDone()) {
            throw new AssertionError("no answer yet");
        }
        return reply.value();
    }
}
