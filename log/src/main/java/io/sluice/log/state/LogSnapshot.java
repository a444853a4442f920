package io.sluice.log.state;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.log.producer.ProducerState;
import io.sluice.log.segment.LogFolder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Producers and leader epochs as they were before an offset; what follows is replayed from the batches' headers. Immutable.
///
/// | bytes | field                                                                        |
/// |-------|------------------------------------------------------------------------------|
/// | 4     | magic `SLPS`                                                                 |
/// | 2     | version: 1                                                                   |
/// | 2     | zero                                                                         |
/// | 8     | offset: everything before it is in here, nothing behind                      |
/// | 4     | number of leader epochs                                                      |
/// | 4     | number of producers                                                          |
/// | 12 n  | leader epochs: epoch (4), start offset (8)                                   |
/// | …     | producers: id (8), epoch (2), start sequence (4), last append in ms (8), number of batches (1), per batch last sequence (4), offset delta (4), last offset (8) |
/// | 4     | CRC-32C of all before                                                        |
public record LogSnapshot(
        long offset, List<LeaderEpochs.Entry> epochs, List<ProducerState> producers) {
    static final int MAGIC = 0x534C5053;
    static final short VERSION = 1;
    private static final int HEADER_BYTES = 24;
    private static final int EPOCH_BYTES = 12;
    private static final int PRODUCER_BYTES = 23;
    private static final int BATCH_BYTES = 16;

    /// An epoch that begins at the offset has no batch before it, and may never have one: a leader notes its term where its log ends, and as a follower it may get batches of an earlier epoch for that place.
    public LogSnapshot {
        epochs = epochs.stream().filter(entry -> entry.startOffset() < offset).toList();
        producers = List.copyOf(producers);
    }

    public static LogSnapshot empty(long offset) {
        return new LogSnapshot(offset, List.of(), List.of());
    }

    public void write(LogFolder folder, boolean durable) {
        folder.replace(LogFolder.name(offset, LogFolder.SNAPSHOT), encode(), durable);
    }

    /// Leaves the newest two: the one in use and one to fall back on. Also forgets the names of epochs that both know.
    public static void prune(LogFolder folder) {
        List<String> names = folder.disk().list(folder.directory());
        List<Long> offsets = LogFolder.offsetsIn(names, LogFolder.SNAPSHOT);
        for (int i = 0; i < offsets.size() - 2; i++) {
            folder.disk().delete(folder.path(offsets.get(i), LogFolder.SNAPSHOT));
        }
        if (offsets.size() >= 2) {
            EpochNames.forgetBelow(folder, names, offsets.get(offsets.size() - 2));
        }
    }

    /// The newest in the folder that can be believed, or null.
    public static @Nullable LogSnapshot newest(LogFolder folder, Collection<String> names) {
        for (Long offset : LogFolder.offsetsIn(names, LogFolder.SNAPSHOT).reversed()) {
            LogSnapshot found = read(folder, offset);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /// Null when there is none for this offset that can be believed.
    public static @Nullable LogSnapshot read(LogFolder folder, long offset) {
        try (DiskFile file =
                folder.disk().openForReading(folder.path(offset, LogFolder.SNAPSHOT))) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), Integer.MAX_VALUE));
            file.read(bytes, 0);
            return decode(bytes.flip(), offset);
        } catch (DiskException e) {
            if (e.kind() == DiskException.Kind.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    ByteBuffer encode() {
        int batches = producers.stream().mapToInt(producer -> producer.batches().size()).sum();
        ByteBuffer out =
                ByteBuffer.allocate(
                        HEADER_BYTES
                                + EPOCH_BYTES * epochs.size()
                                + PRODUCER_BYTES * producers.size()
                                + BATCH_BYTES * batches
                                + Integer.BYTES);
        out.putInt(MAGIC).putShort(VERSION).putShort((short) 0).putLong(offset);
        out.putInt(epochs.size()).putInt(producers.size());
        for (LeaderEpochs.Entry entry : epochs) {
            out.putInt(entry.epoch()).putLong(entry.startOffset());
        }
        for (ProducerState producer : producers) {
            out.putLong(producer.producerId()).putShort(producer.epoch());
            out.putInt(producer.startSequence()).putLong(producer.lastAppendMillis());
            out.put((byte) producer.batches().size());
            for (ProducerState.Batch batch : producer.batches()) {
                out.putInt(batch.lastSequence()).putInt(batch.offsetDelta());
                out.putLong(batch.lastOffset());
            }
        }
        out.putInt(checksum(out, out.position()));
        return out.flip();
    }

    static @Nullable LogSnapshot decode(ByteBuffer bytes, long offset) {
        int end = bytes.limit() - Integer.BYTES;
        if (end < HEADER_BYTES
                || bytes.getInt(0) != MAGIC
                || bytes.getShort(4) != VERSION
                || bytes.getLong(8) != offset
                || checksum(bytes, end) != bytes.getInt(end)) {
            return null;
        }
        ByteBuffer in = bytes.slice(0, end).position(HEADER_BYTES);
        int epochCount = bytes.getInt(16);
        int producerCount = bytes.getInt(20);
        if (epochCount < 0
                || producerCount < 0
                || (long) epochCount * EPOCH_BYTES + (long) producerCount * PRODUCER_BYTES
                        > in.remaining()) {
            return null;
        }
        List<LeaderEpochs.Entry> epochs = new ArrayList<>(epochCount);
        for (int i = 0; i < epochCount; i++) {
            epochs.add(new LeaderEpochs.Entry(in.getInt(), in.getLong()));
        }
        List<ProducerState> producers = new ArrayList<>(producerCount);
        for (int i = 0; i < producerCount; i++) {
            ProducerState producer = decodeProducer(in);
            if (producer == null) {
                return null;
            }
            producers.add(producer);
        }
        return in.hasRemaining() ? null : new LogSnapshot(offset, epochs, producers);
    }

    private static @Nullable ProducerState decodeProducer(ByteBuffer in) {
        if (in.remaining() < PRODUCER_BYTES) {
            return null;
        }
        long id = in.getLong();
        short epoch = in.getShort();
        int startSequence = in.getInt();
        long lastAppendMillis = in.getLong();
        int count = in.get();
        if (count < 0
                || count > ProducerState.MOST_BATCHES
                || in.remaining() < count * BATCH_BYTES) {
            return null;
        }
        List<ProducerState.Batch> batches = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            batches.add(new ProducerState.Batch(in.getInt(), in.getInt(), in.getLong()));
        }
        return new ProducerState(id, epoch, startSequence, lastAppendMillis, batches);
    }

    private static int checksum(ByteBuffer bytes, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(0, to));
        return (int) crc.getValue();
    }
}
