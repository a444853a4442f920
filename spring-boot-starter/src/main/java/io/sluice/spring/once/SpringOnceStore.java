package io.sluice.spring.once;

import io.sluice.listener.lane.Job;
import io.sluice.listener.lane.Work;
import io.sluice.listener.once.OnceStore;
import io.sluice.listener.once.OnceTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/// Remembers in a table what has been done, in Spring's transaction: whatever the work does through the same transaction manager (`JdbcTemplate`, `JdbcClient`, JPA,
/// `@Transactional` methods that join) happens together with the note of it, or not at all.
///
/// ```java
/// @Bean
/// SpringOnceStore done(PlatformTransactionManager transactions, DataSource dataSource) {
///     return new SpringOnceStore(transactions, dataSource, "sluice_done");
/// }
///
/// @Bean
/// LaneCustomizer once(SpringOnceStore done) {
///     return (source, lane) -> lane.around(done::once);
/// }
/// ```
/// What opens a transaction of its own (`REQUIRES_NEW`), another database or a thread of its own is no part of it.
///
/// Thread-safe: a transaction per call.
public final class SpringOnceStore implements OnceStore<Connection> {
    private final PlatformTransactionManager transactions;
    private final DataSource dataSource;
    private final OnceTable table;

    /// @param transactions that of the data source
    /// @param table its name, perhaps with a schema; what it has to look like says [OnceTable]
    public SpringOnceStore(
            PlatformTransactionManager transactions, DataSource dataSource, String table) {
        this.transactions = transactions;
        this.dataSource = dataSource;
        this.table = new OnceTable(table);
    }

    /// The same work, once for each message: for [io.sluice.listener.lane.LaneSettings#around].
    public Work once(Work work) {
        return work((job, connection) -> work.on(job));
    }

    @Override
    public boolean once(String key, Job job, Effect<Connection> effect) throws Exception {
        return inTransaction(
                connection -> {
                    if (!table.note(connection, key)) {
                        return false;
                    }
                    effect.on(job, connection);
                    // The lease may be lost by now, and the work begun elsewhere: that one waits at
                    // our row. But nobody wants this result.
                    job.requireWanted();
                    return true;
                });
    }

    /// Makes the table, if there is none.
    public void createTable() throws SQLException {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            table.create(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /// Forgets what was done before. Go back further than a message can possibly come again.
    ///
    /// @return how many were forgotten
    public int forgetBefore(Instant time) throws SQLException {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return table.forgetBefore(connection, time);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /// What happens in a transaction.
    private interface Step {
        /// @return whether to commit
        boolean on(Connection connection) throws Exception;
    }

    private boolean inTransaction(Step step) throws Exception {
        TransactionStatus status = transactions.getTransaction(new DefaultTransactionDefinition());
        try {
            Connection connection = DataSourceUtils.getConnection(dataSource);
            boolean keep;
            try {
                keep = step.on(connection);
            } finally {
                DataSourceUtils.releaseConnection(connection, dataSource);
            }
            if (keep) {
                transactions.commit(status);
            }
            return keep;
        } finally {
            if (!status.isCompleted()) {
                transactions.rollback(status);
            }
        }
    }
}
