package io.sluice.env.os;

import io.sluice.env.DiskException;

/// The data directory cannot be used as it is; the message tells a person why and what to do.
public final class UnusableDataDirectory extends RuntimeException {
    public UnusableDataDirectory(String message) {
        super(message);
    }

    UnusableDataDirectory(DiskException cause) {
        super(cause.getMessage(), cause);
    }
}
