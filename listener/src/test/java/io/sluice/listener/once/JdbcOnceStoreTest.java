package io.sluice.listener.once;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// On H2.
@Timeout(120)
class JdbcOnceStoreTest implements OnceStoreContract {
    @Override
    public DataSource database() {
        var database = new JdbcDataSource();
        database.setURL(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");
        return database;
    }

    @Test
    void aTableIsNoPlaceForSql() {
        DataSource database = database();
        assertThatThrownBy(() -> new JdbcOnceStore(database, "done; DROP TABLE labels"))
                .hasMessageContaining("letters, digits and underscores");
    }
}
