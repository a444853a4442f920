package io.sluice.broker;

import org.jspecify.annotations.Nullable;

/// This broker cannot be started as it is set up, however often it is tried: the message tells a person why and what to do.
final class RefusedSetup extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    RefusedSetup(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
