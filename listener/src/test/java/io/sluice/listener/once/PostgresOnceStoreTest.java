package io.sluice.listener.once;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// On PostgreSQL, where a violated key ends the transaction.
@Timeout(120)
class PostgresOnceStoreTest implements OnceStoreContract {
    private static @Nullable EmbeddedPostgres postgres;

    @BeforeAll
    static void start() throws IOException {
        postgres = EmbeddedPostgres.start();
    }

    @AfterAll
    static void stop() throws IOException {
        if (postgres != null) {
            postgres.close();
        }
    }

    @Override
    public DataSource database() {
        if (postgres == null) {
            throw new IllegalStateException("not started");
        }
        return postgres.getPostgresDatabase();
    }

    @Test
    void aTableMayHaveASchemaAndBeMadeTwice() throws Exception {
        try (Connection connection = database().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA labelling");
        }
        var store = new JdbcOnceStore(database(), "labelling.sluice_done");
        store.createTable();
        store.createTable();
        assertThat(store.forgetBefore(Instant.now())).isZero();
    }
}
