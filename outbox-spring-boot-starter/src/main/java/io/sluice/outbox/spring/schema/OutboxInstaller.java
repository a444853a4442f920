package io.sluice.outbox.spring.schema;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;

/// Runs the scripts at the start; they may be run again and again.
///
/// Owned by the thread that starts the application.
public final class OutboxInstaller implements InitializingBean {
    /// Which scripts, and how.
    public interface Scripts {
        void run(Connection connection) throws SQLException;
    }

    private final DataSource dataSource;
    private final Scripts scripts;

    public OutboxInstaller(DataSource dataSource, Scripts scripts) {
        this.dataSource = dataSource;
        this.scripts = scripts;
    }

    @Override
    public void afterPropertiesSet() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            scripts.run(connection);
        }
    }
}
