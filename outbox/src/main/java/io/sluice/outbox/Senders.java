package io.sluice.outbox;

import io.sluice.outbox.membership.Members;
import io.sluice.outbox.publishing.Headers;
import io.sluice.outbox.publishing.LeftBehind;
import io.sluice.outbox.publishing.Publisher;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.publishing.TransactionalPublisher;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The sender with the guarantee that is wanted, for the database that the relay is connected to.
///
/// Owned by the publishing thread.
final class Senders implements AutoCloseable {
    /// The same after a failover, another one for another schema or database: progress of outboxes that share a broker must not be
    /// confused.
    private static final String IDENTITY =
            """
            SELECT (SELECT system_identifier FROM pg_control_system()) || '-'
              || (SELECT oid FROM pg_database WHERE datname = current_database()) || '-' || ?::regclass::oid,
              (SELECT count(*) FROM outbox_lane WHERE outbox = ?)
            """;

    private final RelaySettings settings;
    private final BooleanSupplier trusted;
    private final LeftBehind leftBehind = new LeftBehind(); // However often memory is short.
    private String identity = "";
    private @Nullable Sender sender;
    private @Nullable Connection connection;

    /// @param trusted whether this relay may publish; asked by any thread
    Senders(RelaySettings settings, BooleanSupplier trusted) {
        this.settings = settings;
        this.trusted = trusted;
        // A wrong setting shall be told by the one who starts the relay, not by its log.
        atLeastOnce().close();
    }

    /// Until it is asked for with another connection.
    Sender of(Connection connection) throws SQLException {
        this.connection = connection;
        String table = settings.table().name();
        try (PreparedStatement query = connection.prepareStatement(IDENTITY)) {
            query.setString(1, table);
            query.setString(2, table);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                String now = row.getString(1);
                Sender open = sender;
                if (open == null || !now.equals(identity)) {
                    close();
                    identity = now;
                    open = open(now, row.getInt(2));
                    sender = open;
                }
                return open;
            }
        }
    }

    private Sender open(String of, int lanes) {
        return switch (settings.guarantee()) {
            case AT_LEAST_ONCE -> atLeastOnce();
            case EXACTLY_ONCE ->
                    new TransactionalPublisher(
                            settings.topic(),
                            of,
                            lanes,
                            settings.producer(),
                            this::isMember,
                            leftBehind);
        };
    }

    private boolean isMember(long number) throws SQLException {
        return connection != null && Members.isMember(connection, number);
    }

    private Publisher atLeastOnce() {
        String topic = settings.topic();
        return new Publisher(
                topic,
                event -> Headers.numbered(topic, event),
                settings.producer(),
                trusted,
                leftBehind);
    }

    @Override
    public void close() {
        if (sender != null) {
            sender.close();
            sender = null;
        }
    }
}
