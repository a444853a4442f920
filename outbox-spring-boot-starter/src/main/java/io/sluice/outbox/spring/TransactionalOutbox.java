package io.sluice.outbox.spring;

import io.sluice.outbox.Outbox;
import io.sluice.outbox.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/// Writes events into the transaction that runs: they are published exactly if it commits.
///
/// ```java
/// @Transactional
/// void transfer(…) {
///     accounts.withdraw(from, amount);                                   // locks the aggregate's row first
///     outbox.append(OutboxEvent.of(from, "TransferRequested", json));
/// }
/// ```
/// With JPA, flush before you append: an ORM that flushes late inserts the event before it locks the aggregate, and then nothing orders
/// two writers.
///
/// Thread-safe: the connection is that of the thread's transaction.
public final class TransactionalOutbox {
    private final DataSource dataSource;
    private final Outbox outbox;
    private final Traces traces;
    private final Runnable ring;

    /// @param ring called after a transaction with events has committed
    TransactionalOutbox(DataSource dataSource, Outbox outbox, Traces traces, Runnable ring) {
        this.dataSource = dataSource;
        this.outbox = outbox;
        this.traces = traces;
        this.ring = ring;
    }

    public void append(OutboxEvent event) {
        append(List.of(event));
    }

    /// Several events with one round trip, in this order.
    ///
    /// @throws IllegalStateException when no transaction runs
    public void append(List<OutboxEvent> events) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "append needs a transaction: call it from a method with @Transactional, or from a TransactionTemplate");
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            outbox.append(connection, events.stream().map(this::traced).toList());
        } catch (SQLException e) {
            var known = new SQLExceptionSubclassTranslator().translate("append", null, e);
            throw known != null ? known : new IllegalStateException(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
        ringAfterCommit();
    }

    private OutboxEvent traced(OutboxEvent event) {
        if (event.headers().containsKey(OutboxEvent.TRACEPARENT)) {
            return event;
        }
        return traces.current()
                .map(trace -> event.with(OutboxEvent.TRACEPARENT, trace))
                .orElse(event);
    }

    /// Saves the embedded relay the rest of its sleep, and the database a NOTIFY.
    private void ringAfterCommit() {
        TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        ring.run();
                    }
                });
    }
}
