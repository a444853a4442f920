package io.sluice.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Connections of a relay that is frozen: from then on nobody who uses them gets any further until the thaw, and the database is told nothing.
public final class FreezableConnections implements ConnectionSource {
    private final ConnectionSource database;
    private final Moment moment;
    private final boolean others;
    private final CountDownLatch frozen = new CountDownLatch(1);
    private final CountDownLatch thawed = new CountDownLatch(1);

    /// When the publishing thread stops by itself.
    private interface Moment {
        /// @param argument the call's first one; empty if it has none
        boolean hasCome(String method, String argument);
    }

    private FreezableConnections(ConnectionSource database, Moment moment) {
        this(database, moment, true);
    }

    /// @param others whether all threads are frozen with the publishing one
    private FreezableConnections(ConnectionSource database, Moment moment, boolean others) {
        this.database = database;
        this.moment = moment;
        this.others = others;
    }

    /// The publishing thread alone, whose connection is no longer answered; the others are.
    public static FreezableConnections ofPublishing(ConnectionSource database) {
        return new FreezableConnections(database, (_, _) -> false, false);
    }

    /// In the middle of a transaction of the publishing thread.
    ///
    /// @param commit at the beginning of which commit, from 1
    public static FreezableConnections atCommit(ConnectionSource database, int commit) {
        AtomicInteger commits = new AtomicInteger(commit);
        return new FreezableConnections(
                database, (method, _) -> method.equals("commit") && commits.decrementAndGet() == 0);
    }

    /// Before the publishing thread's first statement with these words.
    public static FreezableConnections before(ConnectionSource database, String words) {
        return new FreezableConnections(
                database,
                (method, sql) -> method.equals("prepareStatement") && sql.contains(words));
    }

    /// The same, from when it is wanted.
    public static FreezableConnections before(
            ConnectionSource database, String words, BooleanSupplier wanted) {
        return new FreezableConnections(
                database,
                (method, sql) ->
                        method.equals("prepareStatement")
                                && sql.contains(words)
                                && wanted.getAsBoolean());
    }

    /// Where the publishing thread has read something with these words, and is about to act on it.
    public static FreezableConnections behind(ConnectionSource database, String words) {
        AtomicBoolean said = new AtomicBoolean();
        return new FreezableConnections(
                database,
                (method, argument) -> {
                    if (method.equals("prepareStatement")) {
                        said.set(argument.contains(words));
                    }
                    return method.equals("setAutoCommit") && said.get();
                });
    }

    public static FreezableConnections atAnyTime(ConnectionSource database) {
        return new FreezableConnections(database, (_, _) -> false);
    }

    @Override
    public Connection open() throws SQLException {
        Connection real = database.open();
        return (Connection)
                Proxy.newProxyInstance(
                        FreezableConnections.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> {
                            if (isPublishing()
                                    && moment.hasCome(method.getName(), first(arguments))) {
                                freeze();
                            }
                            if (isFrozen() && (others || isPublishing())) {
                                thawed.await();
                            }
                            try {
                                return method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause() == null ? e : e.getCause();
                            }
                        });
    }

    private static String first(Object @Nullable [] arguments) {
        return arguments == null ? "" : String.valueOf(arguments[0]);
    }

    private static boolean isPublishing() {
        return Thread.currentThread().getName().equals("outbox-publishing");
    }

    public void freeze() {
        frozen.countDown();
    }

    public boolean isFrozen() {
        return frozen.getCount() == 0;
    }

    public void thaw() {
        thawed.countDown();
    }
}
