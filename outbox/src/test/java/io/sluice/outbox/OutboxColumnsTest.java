package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Events go into whatever columns the user's table has for them.
@ExtendWith(Database.Extension.class)
class OutboxColumnsTest {
    private static final String PAYLOAD =
            "{\"path\": \"C:\\\\temp\", \"said\": \"\\\"no\\\" – 'ja'\"}";

    @Test
    @DisplayName("O1: the writer fills the document's table")
    void theDocumentsTable(Database database) throws SQLException {
        DocumentsTable.create(database);
        database.append(OutboxEvent.of("a", "t", PAYLOAD), OutboxEvent.of("b", "t", "7"));
        assertThat(
                        database.column(
                                "SELECT aggregate_id || (payload ->> 'path') || (headers ->> 'type') FROM transfer_events WHERE payload <> '7'"))
                .containsExactly("aC:\\tempt");
        assertThat(DocumentsTable.count(database, "PENDING")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "varchar", "varchar(200)", "char(200)", "json", "jsonb"})
    @DisplayName("O1: payload and headers are what they were, whatever their columns are")
    void everyKindOfText(String type, Database database) throws SQLException {
        columns(database, type);
        database.append(new OutboxEvent("a", PAYLOAD, Map.of("name", "\"v\\")));
        List<String> same =
                database.column(
                        "SELECT (payload::text::jsonb = '%s') || (headers::text::jsonb ->> 'name') FROM transfer_events"
                                .formatted(PAYLOAD.replace("'", "''")));
        assertThat(same).containsExactly("true\"v\\");
    }

    @Test
    void anAggregateMayBeAUuid(Database database) throws SQLException {
        DocumentsTable.create(database);
        database.run(
                "ALTER TABLE transfer_events ALTER COLUMN aggregate_id TYPE uuid USING gen_random_uuid()");
        String id = "0190f5b2-0000-7000-8000-000000000000";
        try (Connection connection = database.open()) {
            connection.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .lockingAggregates()
                    .append(connection, OutboxEvent.of(id, "t", "1"));
            connection.commit();
        }
        assertThat(database.column("SELECT aggregate_id FROM transfer_events")).containsExactly(id);
    }

    /// A backslash would mean something else there.
    @Test
    void bytesAreNoText(Database database) {
        columns(database, "bytea");
        assertThatThrownBy(() -> database.append(OutboxEvent.of("a", "t", PAYLOAD)))
                .hasMessageContaining("bytea");
    }

    /// What is not there yet is asked for again.
    @Test
    void aTableThatIsMadeLater(Database database) throws SQLException {
        Outbox outbox = Outbox.in(OutboxTable.named("later"));
        try (Connection connection = database.open()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> outbox.append(connection, OutboxEvent.of("a", "t", "1")))
                    .hasMessageContaining("\"later\" does not exist");
            connection.rollback();
            database.run("CREATE TABLE later (aggregate_id text, payload jsonb, headers jsonb)");
            outbox.append(connection, OutboxEvent.of("a", "t", "1"));
            connection.commit();
        }
        assertThat(database.number("SELECT count(*) FROM later")).isEqualTo(1);
    }

    private static void columns(Database database, String type) {
        DocumentsTable.create(database);
        database.run(
                "ALTER TABLE transfer_events ALTER COLUMN payload TYPE %1$s USING NULL, ALTER COLUMN headers TYPE %1$s USING NULL"
                        .formatted(type));
    }
}
