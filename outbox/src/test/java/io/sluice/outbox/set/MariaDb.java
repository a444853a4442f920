package io.sluice.outbox.set;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// A database of its own in a real MariaDB, from Debian's package `mariadb-server-core`, with the outbox installed. One server serves all tests of a JVM.
record MariaDb(String url) implements ConnectionSource {
    private static final Path SERVER = Path.of("/usr/sbin/mariadbd");
    private static final AtomicInteger DATABASES = new AtomicInteger();

    @Override
    public Connection open() throws SQLException {
        return DriverManager.getConnection(url);
    }

    void run(String sql) {
        try (Connection connection = open();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    long number(String sql) {
        try (Connection connection = open();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /// A parameter of type [MariaDb] is a fresh database.
    static final class Extension implements ParameterResolver {
        private record Server(Process process, String url) implements AutoCloseable {
            @Override
            public void close() {
                process.destroyForcibly();
            }
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType().equals(MariaDb.class);
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            Assumptions.assumeTrue(
                    Files.isExecutable(SERVER), "no MariaDB here: install mariadb-server-core");
            Server server =
                    context.getRoot()
                            .getStore(ExtensionContext.Namespace.create(MariaDb.class))
                            .computeIfAbsent(Server.class, _ -> start(), Server.class);
            String name = "test_" + DATABASES.incrementAndGet();
            new MariaDb(server.url().formatted("")).run("CREATE DATABASE " + name);
            MariaDb database = new MariaDb(server.url().formatted(name));
            try (Connection connection = database.open()) {
                SetSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
                SetSchema.install(connection, OutboxTable.TRANSFER_EVENTS); // Safe to run again.
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return database;
        }

        /// As a user that is not root, on an empty folder.
        private static Server start() {
            try {
                Path folder = Files.createTempDirectory("outbox-mariadb-");
                Path data = Files.createDirectory(folder.resolve("data"));
                boolean root = System.getProperty("user.name").equals("root");
                if (root) {
                    execute(folder, "chmod", "-R", "a+rwx", folder.toString());
                    execute(folder, "chown", "-R", "nobody", folder.toString());
                }
                String user = "--user=" + (root ? "nobody" : System.getProperty("user.name"));
                int port = freePort();
                Process process =
                        new ProcessBuilder(
                                        SERVER.toString(),
                                        "--no-defaults",
                                        user,
                                        "--datadir=" + data,
                                        "--socket=" + folder.resolve("s"),
                                        "--pid-file=" + folder.resolve("pid"),
                                        "--bind-address=127.0.0.1",
                                        "--port=" + port,
                                        "--skip-grant-tables", // An empty folder has none.
                                        "--skip-networking=0",
                                        "--innodb-flush-log-at-trx-commit=2",
                                        "--innodb-buffer-pool-size=64M")
                                .redirectErrorStream(true)
                                .redirectOutput(Redirect.to(folder.resolve("log").toFile()))
                                .start();
                String url = "jdbc:mariadb://127.0.0.1:" + port + "/%s?user=root";
                awaitStart(process, url.formatted(""), folder);
                return new Server(process, url);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static int freePort() throws IOException {
            try (var socket = new java.net.ServerSocket(0)) {
                return socket.getLocalPort();
            }
        }

        private static void awaitStart(Process process, String url, Path folder)
                throws IOException {
            long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
            while (true) {
                try (Connection _ = DriverManager.getConnection(url)) {
                    return;
                } catch (SQLException e) {
                    if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                        throw new AssertionError(Files.readString(folder.resolve("log")), e);
                    }
                    pause();
                }
            }
        }

        private static void pause() {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static void execute(Path folder, String... command) throws IOException {
            Path output = Files.createTempFile("outbox-mariadb-", ".log");
            Process process =
                    new ProcessBuilder(new ArrayList<>(List.of(command)))
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            try {
                if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
                    throw new AssertionError(command[0] + ":\n" + Files.readString(output));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
