package io.sluice.zookeeper;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/// The empty snapshot that a new member's transactions build upon, on disk before the first of them is.
///
/// ZooKeeper writes one itself but does not sync it. A power cut then leaves synced transactions without a snapshot, and ZooKeeper refuses to start on that ("No snapshot found, but there are log
/// entries").
///
/// Thread-safe: it has no state.
final class FirstSnapshot {
    private FirstSnapshot() {}

    /// True when the member has never been there, or has lost what it had.
    static boolean isMissing(File data, File log) throws IOException {
        FileTxnSnapLog files = new FileTxnSnapLog(log, data);
        try {
            return isEmpty(files.getSnapDir().toPath()) && isEmpty(files.getDataLogDir().toPath());
        } finally {
            files.close();
        }
    }

    /// Writes it unless the member has been there before.
    static void ensure(File data, File log) throws IOException {
        if (!isMissing(data, log)) {
            return;
        }
        FileTxnSnapLog files = new FileTxnSnapLog(log, data);
        try {
            files.save(new DataTree(), new ConcurrentHashMap<>(), true);
            OldSnapshots.sync(files.getSnapDir().toPath());
            OldSnapshots.sync(data.toPath());
        } finally {
            files.close();
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        }
    }
}
