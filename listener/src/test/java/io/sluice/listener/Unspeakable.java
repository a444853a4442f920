package io.sluice.listener;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/// What is thrown when memory ends: to say it, or to log it, takes memory too, and ends the same way.
public final class Unspeakable extends Error {
    private static final long serialVersionUID = 1;

    static {
        while (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext)) {
            Thread.onSpinWait(); // another test is just making it
        }
        ((LoggerContext) LoggerFactory.getILoggerFactory()).addTurboFilter(new NoEntry());
    }

    /// Of all log entries only those about such an error fail.
    private static final class NoEntry extends TurboFilter {
        @Override
        public FilterReply decide(
                @Nullable Marker marker,
                Logger logger,
                Level level,
                @Nullable String format,
                Object @Nullable [] values,
                @Nullable Throwable thrown) {
            boolean about = thrown instanceof Unspeakable;
            for (Object value : values == null ? new Object[0] : values) {
                about |= value instanceof Unspeakable;
            }
            if (about) {
                throw new OutOfMemoryError("simulated");
            }
            return FilterReply.NEUTRAL;
        }
    }

    @Override
    public String toString() {
        throw new OutOfMemoryError("simulated");
    }

    @Override
    public String getMessage() {
        throw new OutOfMemoryError("simulated");
    }
}
