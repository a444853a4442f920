package io.sluice.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Connections whose plain statements are told before they are executed.
record WatchedStatements(ConnectionSource database, Consumer<String> before)
        implements ConnectionSource {
    @Override
    public Connection open() throws SQLException {
        Connection connection = database.open();
        return (Connection)
                Proxy.newProxyInstance(
                        WatchedStatements.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> {
                            Object made = call(connection, method, arguments);
                            boolean isPlain = method.getName().equals("createStatement");
                            return isPlain && made instanceof Statement statement
                                    ? watched(statement)
                                    : made;
                        });
    }

    private Statement watched(Statement statement) {
        return (Statement)
                Proxy.newProxyInstance(
                        WatchedStatements.class.getClassLoader(),
                        new Class<?>[] {Statement.class},
                        (_, method, arguments) -> {
                            if (method.getName().startsWith("execute")
                                    && arguments != null
                                    && arguments[0] instanceof String sql) {
                                before.accept(sql);
                            }
                            return call(statement, method, arguments);
                        });
    }

    private static @Nullable Object call(Object real, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
