package io.sluice.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Connections of which the publishing thread's breaks in front of a statement.
public final class BreakingConnections implements ConnectionSource {
    private final ConnectionSource database;
    private final Moment moment;
    private final AtomicBoolean broken = new AtomicBoolean();

    /// When it breaks; asked by the publishing thread alone.
    private interface Moment {
        /// @param argument the call's first one; empty if it has none
        boolean hasCome(String method, String argument);
    }

    private BreakingConnections(ConnectionSource database, Moment moment) {
        this.database = database;
        this.moment = moment;
    }

    /// Once: behind the commit of the first transaction that has a statement with these words.
    public static BreakingConnections behind(ConnectionSource database, String words) {
        AtomicBoolean said = new AtomicBoolean();
        AtomicBoolean committed = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        return new BreakingConnections(
                database,
                (method, argument) -> {
                    if (method.equals("commit") && said.get()) {
                        committed.set(true);
                    } else if (method.equals("prepareStatement")) {
                        if (committed.get() && over.compareAndSet(false, true)) {
                            return true;
                        }
                        said.compareAndSet(false, argument.contains(words));
                    }
                    return false;
                });
    }

    /// Whenever this holds before a statement.
    public static BreakingConnections where(ConnectionSource database, BooleanSupplier holds) {
        return new BreakingConnections(
                database, (method, _) -> method.equals("prepareStatement") && holds.getAsBoolean());
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
                            if (publishing && moment.hasCome(method.getName(), first(arguments))) {
                                broken.set(true);
                                real.close();
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
}
