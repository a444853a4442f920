package io.sluice.outbox.bench.host;

import io.sluice.outbox.ConnectionSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.LongAdder;

/// Counts the statements that go through its connections. BEGIN, COMMIT and ROLLBACK are not counted, for nobody. Two that are sent together count as two.
///
/// Thread-safe.
public final class CountingConnections implements ConnectionSource {
    private final String url;
    private final LongAdder statements = new LongAdder();

    public CountingConnections(String url) {
        this.url = url;
    }

    public long statements() {
        return statements.sum();
    }

    @Override
    public Connection open() throws SQLException {
        Connection real = DriverManager.getConnection(url);
        return (Connection)
                Proxy.newProxyInstance(
                        CountingConnections.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> {
                            Object made = call(real, method, arguments);
                            return made instanceof Statement statement ? counted(statement) : made;
                        });
    }

    private Object counted(Statement real) {
        Class<?> kind =
                real instanceof CallableStatement
                        ? CallableStatement.class
                        : real instanceof PreparedStatement
                                ? PreparedStatement.class
                                : Statement.class;
        return Proxy.newProxyInstance(
                CountingConnections.class.getClassLoader(),
                new Class<?>[] {kind},
                (_, method, arguments) -> {
                    if (method.getName().startsWith("execute")) {
                        statements.increment();
                    }
                    Object answer = call(real, method, arguments);
                    if (method.getName().equals("getMoreResults") && Boolean.TRUE.equals(answer)) {
                        statements.increment();
                    }
                    return answer;
                });
    }

    private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
