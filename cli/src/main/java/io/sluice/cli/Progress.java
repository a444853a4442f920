package io.sluice.cli;

import java.io.PrintStream;

/// One line that says how far the work is, rewritten in place.
///
/// Thread-safe: one monitor, because workers report while the main thread ends.
public final class Progress implements AutoCloseable {
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintStream err;
    private final boolean watched;
    private boolean dirty;

    Progress(PrintStream err, boolean watched) {
        this.err = err;
        this.watched = watched;
    }

    public boolean watched() {
        return watched;
    }

    public synchronized void update(String line) {
        if (watched) {
            err.print(CLEAR_LINE + line);
            err.flush();
            dirty = true;
        }
    }

    /// Wipes the line away, so that results start on a clean one.
    @Override
    public synchronized void close() {
        if (dirty) {
            err.print(CLEAR_LINE);
            err.flush();
            dirty = false;
        }
    }
}
