package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Database.Extension.class)
@Timeout(60)
class TransactionTest {
    @Test
    void whatAnErrorOfTheMachineInterruptsIsNotCommitted(Database database) throws Exception {
        database.run("CREATE TABLE work (done int)");
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(
                            () ->
                                    Transaction.in(
                                            connection,
                                            () -> {
                                                statement.execute("INSERT INTO work VALUES (1)");
                                                throw new OutOfMemoryError("not a byte");
                                            }))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(connection.getAutoCommit()).isTrue();
        }
        assertThat(database.number("SELECT count(*) FROM work")).isZero();
    }

    /// A pool's connection may throw what it likes.
    @Test
    void whatCannotBeRolledBackIsNotCommittedEither(Database database) throws Exception {
        database.run("CREATE TABLE work (done int)");
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            Connection failing =
                    (Connection)
                            Proxy.newProxyInstance(
                                    TransactionTest.class.getClassLoader(),
                                    new Class<?>[] {Connection.class},
                                    (_, method, arguments) -> {
                                        if (method.getName().equals("rollback")) {
                                            throw new IllegalStateException("not now");
                                        }
                                        return method.invoke(connection, arguments);
                                    });
            assertThatThrownBy(
                            () ->
                                    Transaction.in(
                                            failing,
                                            () -> {
                                                statement.execute("INSERT INTO work VALUES (1)");
                                                throw new SQLException("refused");
                                            }))
                    .hasMessage("refused");
            assertThat(connection.isClosed()).isTrue();
        }
        assertThat(database.number("SELECT count(*) FROM work")).isZero();
    }
}
