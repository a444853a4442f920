package io.sluice.broker;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import io.sluice.settings.Settings;
import java.util.Locale;
import org.slf4j.LoggerFactory;

/// Logging, set up in code: reading an XML file would cost more than starting the log itself. Immutable.
record LogSetup(Format format, Detail detail) {
    private static final String PATTERN =
            "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0} [%thread] %msg%n";

    enum Format {
        TEXT,
        JSON;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    enum Detail {
        DEBUG,
        INFO,
        WARN,
        ERROR;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static LogSetup read(Settings settings) {
        return new LogSetup(
                settings.choice(
                        "logging.format",
                        Format.TEXT,
                        Format::label,
                        "How log lines look: text for people, json for machines."),
                settings.choice(
                        "logging.level",
                        Detail.INFO,
                        Detail::label,
                        "Least important lines that are written."));
    }

    void apply() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setTarget("System.err");
        console.setEncoder(encoder(context));
        console.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.toLevel(detail.name()));
        root.addAppender(console);
        context.getLogger("io.netty").setLevel(Level.WARN);
        context.getLogger("org.apache.curator").setLevel(Level.WARN);
        context.getLogger("org.apache.zookeeper").setLevel(Level.WARN);
        // Says once a second that a server is away, with a stack trace; the metadata store says it
        // once.
        context.getLogger("org.apache.zookeeper.ClientCnxn").setLevel(Level.ERROR);
    }

    private Encoder<ILoggingEvent> encoder(LoggerContext context) {
        if (format == Format.JSON) {
            JsonEncoder json = new JsonEncoder();
            json.setContext(context);
            json.start();
            return json;
        }
        PatternLayoutEncoder text = new PatternLayoutEncoder();
        text.setContext(context);
        text.setPattern(PATTERN);
        text.start();
        return text;
    }
}
