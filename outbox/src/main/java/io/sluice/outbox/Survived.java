package io.sluice.outbox;

import org.slf4j.Logger;

/// Tells of a failure after which a thread goes on.
public final class Survived {
    private Survived() {}

    /// If memory was short, it may still be, and telling of it may fail as well: that must not end what the failure did not end.
    public static void warn(Logger log, String what, Throwable why) {
        try {
            log.warn("{}: {}", what, why.toString());
        } catch (Throwable e) {
            why.addSuppressed(e);
        }
    }
}
