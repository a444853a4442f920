package io.sluice.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Sessions whose statements are counted where they are executed: whoever adds one need not think of the count.
///
/// A batch counts as one, and the ends of transactions do not count. Two that are sent together, one answer after the other, count as two.
///
/// Thread-safe; its sessions belong to whoever opened them.
public final class CountedSessions implements ConnectionSource {
    private final ConnectionSource database;
    private final LongAdder executed = new LongAdder();

    public CountedSessions(ConnectionSource database) {
        this.database = database;
    }

    /// Statements of all its sessions so far, whether they succeeded or not.
    public long executed() {
        return executed.sum();
    }

    @Override
    public Connection open() throws SQLException {
        Connection connection = database.open();
        return (Connection)
                Proxy.newProxyInstance(
                        CountedSessions.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> {
                            Object made = call(connection, method, arguments);
                            return made instanceof Statement statement ? counted(statement) : made;
                        });
    }

    private Statement counted(Statement statement) {
        return (Statement)
                Proxy.newProxyInstance(
                        CountedSessions.class.getClassLoader(),
                        new Class<?>[] {kind(statement)},
                        (proxy, method, arguments) -> {
                            if (method.getName().startsWith("execute")) {
                                executed.increment();
                            }
                            Object answer = call(statement, method, arguments);
                            if (isOneMore(method, answer)) {
                                executed.increment();
                            }
                            return answer;
                        });
    }

    private static boolean isOneMore(Method method, @Nullable Object answer) {
        return method.getName().equals("getMoreResults") && Boolean.TRUE.equals(answer);
    }

    private static Class<?> kind(Statement statement) {
        if (statement instanceof CallableStatement) {
            return CallableStatement.class;
        }
        return statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
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
