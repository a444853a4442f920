package io.sluice.coordinator;

import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.record.BatchReader;
import io.sluice.record.LogRecord;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Rebuilds a machine from its log: every record from the start, decoded and applied. Owned by its coordinator.
///
/// A record that does not decode is skipped and reported: it was not written by this code, and one of them must not take all groups of the
/// partition away. A batch that does not hold together stops the replay: the log itself is damaged.
final class Replay<E> {
    private static final Logger LOG = LoggerFactory.getLogger(Replay.class);

    /// Some thousand records, a few milliseconds.
    private static final int READ_BYTES = 256 << 10;

    private static final String READING = "The replay of a log";

    private final CoordinatorLog log;
    private final Machine<?, E, ?> machine;
    private final ChangeFormat<E> format;
    private final Mailbox home;
    private final BooleanSupplier isStopped;
    private final Reply<Long> finished = new Reply<>();
    private long nextOffset;
    private long applied;

    Replay(
            CoordinatorLog log,
            Machine<?, E, ?> machine,
            ChangeFormat<E> format,
            Mailbox home,
            BooleanSupplier isStopped) {
        this.log = log;
        this.machine = machine;
        this.format = format;
        this.home = home;
        this.isStopped = isStopped;
    }

    /// Completes with the number of records applied.
    Reply<Long> start() {
        nextOffset = log.startOffset();
        readOn();
        return finished;
    }

    /// One stretch a turn: whoever else lives on this thread has not to wait for a long log.
    private void readOn() {
        if (finished.isDone() || isStopped.getAsBoolean()) {
            return;
        }
        Crossing.land(
                Crossing.ask(home, home, READING, () -> log.read(nextOffset, READ_BYTES)),
                home,
                READING,
                this::take,
                finished::fail);
    }

    private void take(ByteBuffer chunk) {
        if (isStopped.getAsBoolean()) {
            return;
        }
        if (!chunk.hasRemaining()) {
            finished.complete(applied);
            return;
        }
        BatchReader batches = new BatchReader(chunk);
        for (RecordBatch batch = batches.next(); batch != null; batch = batches.next()) {
            if (!batch.isControl()) {
                applyAll(batch);
            }
            nextOffset = Math.max(nextOffset, batch.nextOffset());
        }
        BatchReader.Flaw flaw = batches.flaw();
        if (flaw != null) {
            finished.fail(
                    new MalformedBatch(
                            "at offset " + nextOffset + " of the log " + flaw.sentence()));
        } else {
            home.post(this::readOn);
        }
    }

    private void applyAll(RecordBatch batch) {
        RecordReader records = RecordReader.open(batch);
        while (records.hasNext()) {
            LogRecord record = records.next();
            if (record.offset() >= nextOffset) {
                applyOne(record);
            }
        }
    }

    private void applyOne(LogRecord record) {
        try {
            E change = format.decode(record);
            if (change != null) {
                machine.apply(change);
                applied++;
            }
        } catch (ChangeFormat.MalformedChange e) {
            LOG.warn("skipped the record at offset {}: {}", record.offset(), e.getMessage());
        }
    }
}
