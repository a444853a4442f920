package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
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
}
