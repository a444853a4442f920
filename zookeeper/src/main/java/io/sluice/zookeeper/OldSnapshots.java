package io.sluice.zookeeper;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.PurgeTxnLog;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes the snapshots and logs that a member does not need any more, at its start and then now and then: those that stand before the newest snapshots, when these are on disk.
///
/// ZooKeeper deletes them without asking for that, and does not sync what it writes at each start. A member that was started several times within seconds has its newest snapshots in the page cache
/// alone; with the others deleted, a power cut leaves transactions without a snapshot, and ZooKeeper does not start on that ("No snapshot found, but there are log entries").
///
/// Thread-safe: a thread of its own.
final class OldSnapshots implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OldSnapshots.class);

    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("sluice-ensemble-purge").daemon().factory());

    /// Makes a file, or the names in a folder, durable.
    interface Sync {
        void force(Path path) throws IOException;
    }

    OldSnapshots(File data, File log, int kept, Duration interval) {
        this(data, log, kept, interval, OldSnapshots::sync);
    }

    OldSnapshots(File data, File log, int kept, Duration interval, Sync sync) {
        var _ =
                thread.scheduleWithFixedDelay(
                        () -> tryToPurge(data, log, kept, sync),
                        0,
                        interval.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    private static void tryToPurge(File data, File log, int kept, Sync sync) {
        try {
            purge(data, log, kept, sync);
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "Old snapshots of the ensemble in {} could not be deleted, and are left until the next time: {}",
                    data,
                    e.toString());
        }
    }

    /// One that is written meanwhile may be kept in place of the oldest of those that were synced; the others are left.
    static void purge(File data, File log, int kept, Sync sync) throws IOException {
        FileTxnSnapLog files = new FileTxnSnapLog(log, data);
        try {
            List<File> newest = files.findNValidSnapshots(kept);
            for (File snapshot : newest) {
                sync.force(snapshot.toPath());
            }
            sync.force(files.getSnapDir().toPath());
        } finally {
            files.close();
        }
        PurgeTxnLog.purge(log, data, kept);
    }

    static void sync(Path path) throws IOException {
        try (FileChannel opened = FileChannel.open(path, StandardOpenOption.READ)) {
            opened.force(true);
        }
    }

    /// When this returns, nobody touches the folder any more: whoever moves it away or deletes it next would find files in it that were not there before. A disk that hangs is not waited for.
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn(
                        "Old snapshots of the ensemble are still being deleted; they are left to it");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
