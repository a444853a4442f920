package io.sluice.cli.outbox;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import org.slf4j.LoggerFactory;

/// A relay runs for months, so unlike other commands it says on stderr what it does.
final class RelayLog {
    private RelayLog() {}

    static void show() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            var encoder = new PatternLayoutEncoder();
            encoder.setContext(context);
            encoder.setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %msg%n");
            encoder.start();
            var appender = new ConsoleAppender<ILoggingEvent>();
            appender.setContext(context);
            appender.setTarget("System.err");
            appender.setEncoder(encoder);
            appender.start();
            Logger relay = context.getLogger("io.sluice.outbox");
            relay.setLevel(Level.INFO);
            relay.setAdditive(false);
            relay.detachAndStopAllAppenders();
            relay.addAppender(appender);
        }
    }
}
