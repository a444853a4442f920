package io.sluice.env.os;

import io.sluice.env.DiskException;

/// The data directory cannot be used as it is; the message tells a person why and what to do.
public final class UnusableDataDirectory extends RuntimeException {
    private final boolean mayPass;

    public UnusableDataDirectory(String message) {
        super(message);
        mayPass = false;
    }

    UnusableDataDirectory(DiskException cause) {
        super(cause.getMessage(), cause);
        mayPass = true;
    }

    private UnusableDataDirectory(String message, boolean mayPass) {
        super(message);
        this.mayPass = mayPass;
    }

    /// Another process has it, or its disk does not answer as it should.
    static UnusableDataDirectory forNow(String message) {
        return new UnusableDataDirectory(message, true);
    }

    /// To be tried again; otherwise somebody has to see to it first.
    public boolean mayPass() {
        return mayPass;
    }
}
