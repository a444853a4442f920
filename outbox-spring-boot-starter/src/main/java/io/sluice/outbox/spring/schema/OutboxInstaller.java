package io.sluice.outbox.spring.schema;

import io.sluice.outbox.OutboxSchema;
import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;

/// Runs the scripts at the start; they may be run again and again.
///
/// Owned by the thread that starts the application.
public final class OutboxInstaller implements InitializingBean {
    private final DataSource dataSource;
    private final OutboxTable table;
    private final OptionalLong eventsPerPartition;

    /// @param eventsPerPartition if a new event table shall have partitions
    public OutboxInstaller(
            DataSource dataSource, OutboxTable table, OptionalLong eventsPerPartition) {
        this.dataSource = dataSource;
        this.table = table;
        this.eventsPerPartition = eventsPerPartition;
    }

    @Override
    public void afterPropertiesSet() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            if (eventsPerPartition.isPresent()) {
                OutboxSchema.installPartitioned(connection, table, eventsPerPartition.getAsLong());
            } else {
                OutboxSchema.install(connection, table);
            }
        }
    }
}
