package io.sluice.outbox.spring.schema;

import io.sluice.outbox.OutboxSchema;
import io.sluice.outbox.OutboxTable;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.beans.factory.InitializingBean;

/// Runs the scripts through Flyway. With a history of their own: their versions have nothing to do with the application's.
///
/// Owned by the thread that starts the application.
public final class OutboxFlyway implements InitializingBean {
    private static final String HISTORY = "outbox_schema_history";

    private final DataSource dataSource;

    public OutboxFlyway(DataSource dataSource, OutboxTable table) {
        if (!table.equals(OutboxTable.TRANSFER_EVENTS)) {
            throw new IllegalArgumentException(
                    "app.outbox.schema=flyway makes the table %s only; for '%s' say install"
                            .formatted(OutboxTable.TRANSFER_EVENTS.name(), table.name()));
        }
        this.dataSource = dataSource;
    }

    @Override
    public void afterPropertiesSet() {
        Flyway.configure()
                .dataSource(dataSource)
                .locations(OutboxSchema.FLYWAY_LOCATION)
                .table(HISTORY)
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load()
                .migrate();
    }
}
