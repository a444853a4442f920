package io.sluice.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/// kafka-clients logs a good deal that a person at a terminal cannot use: nothing is shown, or with `--verbose` its warnings
/// on stderr. Set up in code, because reading logback's XML takes longer than most commands.
///
/// Found by logback through `META-INF/services`; runs when the first logger is made.
public final class Logging extends ContextAwareBase implements Configurator {
    private static volatile boolean verbose;

    /// To be called before the first logger is made.
    static void verbose(boolean wanted) {
        verbose = wanted;
    }

    @Override
    public ExecutionStatus configure(LoggerContext loggerContext) {
        Logger root = loggerContext.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(verbose ? Level.WARN : Level.OFF);
        if (verbose) {
            var encoder = new PatternLayoutEncoder();
            encoder.setContext(loggerContext);
            encoder.setPattern("%d{HH:mm:ss.SSS} %level %logger{0}: %msg%n");
            encoder.start();
            var appender = new ConsoleAppender<ILoggingEvent>();
            appender.setContext(loggerContext);
            appender.setTarget("System.err");
            appender.setEncoder(encoder);
            appender.start();
            root.addAppender(appender);
        }
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
