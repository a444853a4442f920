package io.sluice.simulation.cluster;

import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/// A logger whose lines go to the [SimLog] of the run on this thread. Thread-safe: has no state.
final class SimLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1;

    SimLogger(String name) {
        this.name = name;
    }

    @Override
    public boolean isTraceEnabled() {
        return false;
    }

    @Override
    public boolean isDebugEnabled() {
        return SimLog.isTold();
    }

    @Override
    public boolean isInfoEnabled() {
        return SimLog.isTold();
    }

    @Override
    public boolean isWarnEnabled() {
        return SimLog.isTold();
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String message,
            Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        SimLog.write(
                level.name(), () -> MessageFormatter.basicArrayFormat(message, arguments), thrown);
    }
}
