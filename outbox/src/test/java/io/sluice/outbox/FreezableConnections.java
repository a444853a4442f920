package io.sluice.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/// Connections of a relay that is frozen: from then on nobody who uses them gets any further until the thaw, and the database is told nothing.
public final class FreezableConnections implements ConnectionSource {
    private final ConnectionSource database;
    private final AtomicInteger commits;
    private final CountDownLatch frozen = new CountDownLatch(1);
    private final CountDownLatch thawed = new CountDownLatch(1);

    private FreezableConnections(ConnectionSource database, int commit) {
        this.database = database;
        this.commits = new AtomicInteger(commit);
    }

    /// In the middle of a transaction of the publishing thread.
    ///
    /// @param commit at the beginning of which commit, from 1
    public static FreezableConnections atCommit(ConnectionSource database, int commit) {
        return new FreezableConnections(database, commit);
    }

    public static FreezableConnections atAnyTime(ConnectionSource database) {
        return new FreezableConnections(database, 0);
    }

    @Override
    public Connection open() throws SQLException {
        Connection real = database.open();
        return (Connection)
                Proxy.newProxyInstance(
                        FreezableConnections.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("commit")
                                    && isPublishing()
                                    && commits.decrementAndGet() == 0) {
                                freeze();
                            }
                            if (isFrozen()) {
                                thawed.await();
                            }
                            try {
                                return method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause() == null ? e : e.getCause();
                            }
                        });
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
