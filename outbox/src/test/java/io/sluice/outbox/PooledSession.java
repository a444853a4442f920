package io.sluice.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;

/// A pool of one: its session outlives those who close its connections.
public record PooledSession(Connection session) implements ConnectionSource {
    @Override
    public Connection open() {
        return (Connection)
                Proxy.newProxyInstance(
                        PooledSession.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("close")) {
                                return null;
                            }
                            try {
                                return method.invoke(session, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause() == null ? e : e.getCause();
                            }
                        });
    }
}
