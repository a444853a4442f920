package io.sluice.outbox.wal;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/// Reads a slot's stream on a thread of its own and hands changes over through a queue that is bounded in number and bytes.
///
/// The read blocks without any time-out: a time-out in the middle of a message would confuse the driver. What wakes it, so that the slot
/// hears how far we are, are the marks that the publishing thread writes.
///
/// Thread-safe: a queue and atomic numbers between the two threads.
public final class WalStream implements AutoCloseable {
    private static final int MOST_CHANGES = 4_096;
    private static final int MOST_KIBIBYTES = 64 << 10;

    private final Connection connection;
    private final PGReplicationStream stream;
    private final PgOutput decoder;
    private final BlockingQueue<Sized> changes = new ArrayBlockingQueue<>(MOST_CHANGES);
    private final Semaphore kibibytes = new Semaphore(MOST_KIBIBYTES);
    private final AtomicLong confirmed = new AtomicLong();
    private final Thread thread;
    private volatile @Nullable Exception failure;
    private volatile boolean closing;

    private record Sized(Change change, int kibibytes) {}

    private WalStream(Connection connection, PGReplicationStream stream, OutboxTable table) {
        this.connection = connection;
        this.stream = stream;
        this.decoder = new PgOutput(table);
        this.thread = Thread.ofPlatform().name("outbox-wal").daemon().unstarted(this::run);
    }

    /// @param from what ends up to here is known
    public static WalStream open(
            ConnectionSource replication, OutboxTable table, String slot, long from)
            throws SQLException {
        Connection connection = replication.open();
        try {
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
            WalStream opened = new WalStream(connection, stream, table);
            opened.confirmed.set(from);
            opened.thread.start();
            return opened;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private void run() {
        long told = 0;
        try {
            while (!closing) {
                ByteBuffer message = stream.read();
                if (message == null) {
                    continue;
                }
                int size = Math.min(MOST_KIBIBYTES, 1 + message.remaining() / 1024);
                var change = decoder.read(message);
                if (change.isPresent()) {
                    kibibytes.acquire(size);
                    changes.put(new Sized(change.get(), size));
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
        } catch (SQLException | RuntimeException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The next change; null if none came in that time.
    ///
    /// @throws SQLException if the stream has ended, and all that it brought is taken
    public @Nullable Change next(Duration longest) throws SQLException, InterruptedException {
        Sized sized = changes.poll(longest.toMillis(), TimeUnit.MILLISECONDS);
        if (sized == null) {
            Exception why = failure;
            if (why != null && changes.isEmpty()) {
                throw new SQLException("the stream has ended: " + why.getMessage(), why);
            }
            return null;
        }
        kibibytes.release(sized.kibibytes());
        return sized.change();
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
