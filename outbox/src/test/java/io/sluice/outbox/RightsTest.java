package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Users of the database that may do only what they need to.
@ExtendWith({Postgres.Extension.class, Broker.Extension.class})
@Timeout(120)
class RightsTest {
    private static final AtomicInteger ROLES = new AtomicInteger();

    /// Roles belong to the whole server.
    private final String role =
            "rights_" + ProcessHandle.current().pid() + "_" + ROLES.incrementAndGet();

    /// What was enough before the scripts were run is enough afterwards.
    @Test
    void whoMayOnlyInsertGoesOnWriting(Postgres postgres) throws Exception {
        documentsTable(postgres);
        role(postgres, "GRANT INSERT ON transfer_events TO {role}");
        insert(postgres);
        Database database = new Database(postgres.url()).install();
        insert(postgres);
        assertThat(database.number("SELECT count(ord) FROM transfer_events")).isEqualTo(1);
    }

    @Test
    void rightsOnColumnsAreEnough(Postgres postgres) throws Exception {
        documentsTable(postgres);
        role(postgres, "GRANT INSERT (aggregate_id, payload) ON transfer_events TO {role}");
        new Database(postgres.url()).install();
        insert(postgres);
    }

    @Test
    void whatEverybodyMayEverybodyMay(Postgres postgres) throws Exception {
        documentsTable(postgres);
        role(postgres, "GRANT INSERT ON transfer_events TO PUBLIC");
        new Database(postgres.url()).install();
        insert(postgres);
    }

    /// The scripts are run by an administrator, for the table of a service.
    @Test
    void theOwnerOfTheTableGoesOnWriting(Postgres postgres) throws Exception {
        documentsTable(postgres);
        role(postgres, "ALTER TABLE transfer_events OWNER TO {role}");
        new Database(postgres.url()).install();
        insert(postgres);
    }

    /// Whoever is allowed later gets the rest when the scripts are run again; nobody may call functions here who is not told so.
    @Test
    void aNewTableInPartitionsTakesWritersAsWell(Postgres postgres) throws Exception {
        try (Connection connection = postgres.open();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC");
            try {
                OutboxSchema.installPartitioned(connection, OutboxTable.TRANSFER_EVENTS, 1_000);
                role(postgres, "GRANT INSERT ON transfer_events TO {role}");
                OutboxSchema.installPartitioned(connection, OutboxTable.TRANSFER_EVENTS, 1_000);
            } finally {
                statement.execute("ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC");
            }
        }
        insert(postgres);
    }

    /// As docs/outbox.md says.
    @Test
    void aRelayInLogModeNeedsNoMoreThanDocumented(Postgres postgres, Broker broker)
            throws Exception {
        Database database = new Database(postgres.url()).install();
        role(postgres, "GRANT SELECT ON transfer_events TO {role}");
        postgres.run(
                """
                GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_member, outbox_lane, outbox_source, outbox_parked, outbox_partition TO %s
                """
                        .formatted(role));
        String topic = broker.topic();
        try (Relay relay =
                        Relay.start(() -> as(postgres), RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"), OutboxEvent.of("b", "t", "2"));
            reader.await(2);
            assertThat(relay.health().up()).isTrue();
        }
    }

    private static void documentsTable(Postgres postgres) {
        postgres.run(OutboxSchema.script("V1__transfer_events.sql", OutboxTable.TRANSFER_EVENTS));
    }

    private void role(Postgres postgres, String grant) {
        postgres.run("CREATE ROLE " + role);
        postgres.run(
                "DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %%I TO %s', current_schema()); END $$"
                        .formatted(role));
        postgres.run(grant.replace("{role}", role));
    }

    private Connection as(Postgres postgres) throws SQLException {
        Connection connection = postgres.open();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET ROLE " + role);
        }
        return connection;
    }

    private void insert(Postgres postgres) throws SQLException {
        try (Connection connection = as(postgres);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO transfer_events (aggregate_id, payload) VALUES ('a', '{}')");
        }
    }
}
