package io.sluice.cli.outbox;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Session;
import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.Replication;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// Which database and table: options, or the variables that a Spring Boot service has anyway.
///
/// Owned by the main thread.
final class DatabaseOptions {
    private static final String[] URL = {"SLUICE_DATABASE", "SPRING_DATASOURCE_URL"};
    private static final String[] USER = {"SLUICE_DATABASE_USER", "SPRING_DATASOURCE_USERNAME"};
    private static final String[] PASSWORD = {
        "SLUICE_DATABASE_PASSWORD", "SPRING_DATASOURCE_PASSWORD"
    };

    @CommandLine.Option(
            names = "--database",
            paramLabel = "URL",
            description =
                    "JDBC URL of the database. Default: $SLUICE_DATABASE, else $SPRING_DATASOURCE_URL. User and password: in the URL, or $SLUICE_DATABASE_USER and _PASSWORD.")
    @Nullable String url;

    @CommandLine.Option(
            names = "--table",
            paramLabel = "TABLE",
            defaultValue = "transfer_events",
            description = "The event table. Default: transfer_events.")
    String table = "transfer_events";

    /// Something that asks the database.
    interface Question<T> {
        T ask() throws SQLException, InterruptedException;
    }

    OutboxTable table() {
        try {
            return OutboxTable.named(table);
        } catch (IllegalArgumentException e) {
            throw Failure.usage("--table: " + e.getMessage() + ".");
        }
    }

    ConnectionSource source(Session session) {
        return source(session, new Properties());
    }

    /// @param more properties of the connection beside user and password
    ConnectionSource source(Session session, Properties more) {
        String given = address(session);
        Properties properties = properties(session, more);
        return () -> DriverManager.getConnection(given, properties);
    }

    /// The way to the same database's log.
    Replication replication(Session session) {
        return Replication.to(address(session), properties(session, new Properties()));
    }

    private String address(Session session) {
        Map<String, String> environment = session.terminal().environment();
        String given = url != null ? url : first(environment, URL);
        if (given == null) {
            throw new Failure(
                    ExitCode.FAILED,
                    "No database: say with --database or SLUICE_DATABASE where it is, such as jdbc:postgresql://localhost:5432/transfer.");
        }
        if (!given.startsWith("jdbc:")) {
            throw Failure.usage(
                    "--database: '%s' is no JDBC URL. Write it as jdbc:postgresql://host:5432/name."
                            .formatted(given));
        }
        return given;
    }

    private static Properties properties(Session session, Properties more) {
        Map<String, String> environment = session.terminal().environment();
        Properties properties = new Properties();
        // A database whose host is lost never answers, and nothing else would tell.
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("loginTimeout", "30");
        properties.putAll(more);
        put(properties, "user", first(environment, USER));
        put(properties, "password", first(environment, PASSWORD));
        return properties;
    }

    private static void put(Properties properties, String name, @Nullable String value) {
        if (value != null) {
            properties.setProperty(name, value);
        }
    }

    private static @Nullable String first(Map<String, String> environment, String[] names) {
        for (String name : names) {
            String value = environment.get(name);
            if (value != null && !value.isEmpty()) {
                return value;
            }
        }
        return null;
    }

    /// The answer, or why there is none, in a sentence.
    static <T> T ask(Question<T> question) {
        try {
            return question.ask();
        } catch (SQLException e) {
            String state = e.getSQLState();
            boolean away = state != null && state.startsWith("08");
            boolean missing = "42P01".equals(state);
            throw new Failure(
                    ExitCode.FAILED,
                    away
                            ? "No database: %s".formatted(sentence(e))
                            : missing
                                    ? "The outbox is not installed there: %s Run the scripts of the outbox module, see docs/outbox.md."
                                            .formatted(sentence(e))
                                    : "The database refuses: %s".formatted(sentence(e)),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(ExitCode.FAILED, "Interrupted.", e);
        } catch (IllegalStateException e) {
            throw new Failure(ExitCode.FAILED, sentence(e), e);
        }
    }

    private static String sentence(Exception e) {
        String message = String.valueOf(e.getMessage()).strip().replaceAll("\\s+", " ");
        String capital = message.substring(0, 1).toUpperCase(Locale.ROOT) + message.substring(1);
        return capital.endsWith(".") ? capital : capital + ".";
    }
}
