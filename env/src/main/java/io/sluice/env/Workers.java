package io.sluice.env;

import java.util.concurrent.Callable;

/// Threads that may block: fsync, cold reads, compaction, recovery.
///
/// The only way for code on an owner's thread to wait for a disk. Thread-safe.
public interface Workers {
    /// Runs the work on some worker; the reply completes on the home mailbox's thread.
    /// An exception of the work fails the reply. `kind` chooses the pool, so that a slow compaction never delays an fsync.
    <T> Reply<T> call(Kind kind, Mailbox home, Callable<T> work);

    enum Kind {
        /// Group commits: short, latency-critical.
        FLUSH,
        /// Reads that probably miss the page cache.
        READ,
        /// Compaction, retention, checkpoints, scrubbing: long and patient.
        HOUSEKEEPING
    }
}
