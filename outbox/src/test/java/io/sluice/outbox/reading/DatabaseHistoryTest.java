package io.sluice.outbox.reading;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What a person does about a copy of the database that nothing tells from the one before: see `docs/known-weaknesses.md`.
@ExtendWith(Database.Extension.class)
@Timeout(60)
class DatabaseHistoryTest {
    @Test
    void numbersJumpWhereSomebodyHasTakenTheTimelineAway(Database database) throws SQLException {
        var history = new DatabaseHistory("transfer_events");
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            assertThat(history.adopt(connection)).isEmpty();
            long numbered = sequence(statement);
            assertThat(history.adopt(connection)).isEmpty();
            assertThat(sequence(statement)).as("it is the same database").isEqualTo(numbered);
            statement.execute("UPDATE outbox_source SET timeline = 0");
            assertThat(history.adopt(connection)).isEmpty();
            assertThat(sequence(statement)).isEqualTo(numbered + DatabaseHistory.JUMP);
        }
    }

    private static long sequence(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT min(sequence) FROM outbox_lane")) {
            row.next();
            return row.getLong(1);
        }
    }
}
