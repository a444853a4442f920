package io.sluice.outbox.wal;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/// Reads a slot's stream on a thread of its own and hands changes over through a bounded queue.
///
/// The read blocks without any time-out: a time-out in the middle of a message would confuse the driver. What wakes it, so that the slot
/// hears how far we are, are the marks that the publishing thread writes.
///
/// Thread-safe: a queue and atomic numbers between the two threads.
public final class WalStream implements AutoCloseable {
    /// What a change costs beside its bytes, about.
    private static final int OBJECTS = 200;

    private final Connection connection;
    private final PGReplicationStream stream;
    private final PgOutput decoder;
    private final ChangeQueue changes;
    private final AtomicLong confirmed = new AtomicLong();
    private final Thread thread;
    private volatile boolean closing;

    /// How much of the stream may wait here until it is taken.
    public record Room(int changes, long bytes) {}

    private WalStream(
            Connection connection, PGReplicationStream stream, OutboxTable table, Room room) {
        this.connection = connection;
        this.stream = stream;
        this.decoder = new PgOutput(table);
        this.changes = new ChangeQueue(room.changes(), room.bytes());
        this.thread = Thread.ofPlatform().name("outbox-wal").daemon().unstarted(this::run);
    }

    /// @param from what ends up to here is known
    static WalStream open(
            ConnectionSource replication, OutboxTable table, String slot, long from, Room room)
            throws SQLException {
        Connection connection = replication.open();
        try {
            PgOutput.prepare(connection);
            PGReplicationStream stream =
                    connection
                            .unwrap(PGConnection.class)
                            .getReplicationAPI()
                            .replicationStream()
                            .logical()
                            .withSlotName(slot)
                            .withStartPosition(LogSequenceNumber.valueOf(from))
                            .withSlotOption("proto_version", "1")
                            .withSlotOption("publication_names", slot)
                            .withSlotOption("messages", "true")
                            .withStatusInterval(0, TimeUnit.MILLISECONDS)
                            // Otherwise the driver confirms by itself what we have not saved.
                            .withAutomaticFlush(false)
                            .start();
            return begin(connection, stream, table, from, room);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    static WalStream begin(
            Connection connection,
            PGReplicationStream stream,
            OutboxTable table,
            long from,
            Room room) {
        WalStream begun = new WalStream(connection, stream, table, room);
        begun.confirmed.set(from);
        begun.thread.start();
        return begun;
    }

    private void run() {
        long told = 0;
        try {
            while (!closing) {
                ByteBuffer message = stream.read();
                if (message == null) {
                    continue;
                }
                int size = OBJECTS + message.remaining();
                var change = decoder.read(message);
                if (change.isPresent()) {
                    changes.put(change.get(), size);
                }
                long now = confirmed.get();
                if (now > told) {
                    told = now;
                    LogSequenceNumber upTo = LogSequenceNumber.valueOf(now);
                    stream.setAppliedLSN(upTo);
                    stream.setFlushedLSN(upTo);
                    stream.forceUpdateStatus();
                }
            }
        } catch (Throwable e) {
            // Also an error of the machine, for example a row for which there is no memory: whoever
            // waits for changes would wait for ever.
            changes.end(e);
        }
    }

    /// What has come, as soon as a transaction is complete; nothing if none is in that time.
    ///
    /// @throws SQLException if the stream has ended, and all that it brought is taken
    public List<Change> take(Duration longest) throws SQLException, InterruptedException {
        List<Change> taken = changes.take(longest);
        Throwable why = taken.isEmpty() ? changes.ended() : null;
        if (why != null) {
            throw new SQLException("the stream has ended: " + words(why), why);
        }
        return taken;
    }

    private static String words(Throwable why) {
        String message = why.getMessage();
        return why instanceof SQLException && message != null ? message : why.toString();
    }

    /// The database need not keep anything for us up to here.
    public void confirm(long lsn) {
        confirmed.set(lsn);
    }

    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        try {
            connection.abort(Runnable::run);
            thread.join(Duration.ofSeconds(1));
        } catch (SQLException e) {
            // It is gone, which is what was wanted.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
