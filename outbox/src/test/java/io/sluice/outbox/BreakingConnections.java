package io.sluice.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Connections of which the publishing thread's breaks once: behind the commit of its first transaction that has a statement with these words.
public final class BreakingConnections implements ConnectionSource {
    private final ConnectionSource database;
    private final String words;
    private final AtomicBoolean said = new AtomicBoolean();
    private final AtomicBoolean committed = new AtomicBoolean();
    private final AtomicBoolean broken = new AtomicBoolean();

    private BreakingConnections(ConnectionSource database, String words) {
        this.database = database;
        this.words = words;
    }

    public static BreakingConnections behind(ConnectionSource database, String words) {
        return new BreakingConnections(database, words);
    }

    public boolean isBroken() {
        return broken.get();
    }

    @Override
    public Connection open() throws SQLException {
        Connection real = database.open();
        boolean publishing = Thread.currentThread().getName().equals("outbox-publishing");
        return (Connection)
                Proxy.newProxyInstance(
                        BreakingConnections.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> {
                            if (publishing) {
                                watch(real, method.getName(), arguments);
                            }
                            try {
                                return method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause() == null ? e : e.getCause();
                            }
                        });
    }

    private void watch(Connection real, String method, Object @Nullable [] arguments)
            throws SQLException {
        if (method.equals("prepareStatement") && arguments != null) {
            if (committed.get() && broken.compareAndSet(false, true)) {
                real.close();
            }
            said.compareAndSet(false, String.valueOf(arguments[0]).contains(words));
        } else if (method.equals("commit") && said.get()) {
            committed.set(true);
        }
    }
}
