package io.sluice.outbox.operating;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.publishing.Headers;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Publisher;
import io.sluice.outbox.reading.HeadersJson;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Publishes events once more, as long as the table keeps them: those that the relays are done with, in whichever mode, in the order in which they were
/// appended. That is those that have been published, and those that were parked and then skipped or sent to another topic; not those that wait,
/// parked or not. Nothing about the relays changes, and they go on meanwhile.
///
/// A replayed record has the header [Headers#REPLAY] with the name of the replay and no sequence number, so that a consumer's
/// duplicate filter lets it pass.
///
/// Immutable. Every call opens a connection of its own.
public final class Replay {
    private static final int PAGE_ROWS = 2_000;

    private final ConnectionSource database;
    private final OutboxTable table;
    private final Selection selection;

    public Replay(ConnectionSource database, OutboxTable table, Selection selection) {
        this.database = database;
        this.table = table;
        this.selection = selection;
    }

    /// How many events it would publish.
    ///
    /// @throws IllegalStateException if the table does not tell their order
    public long count() throws SQLException {
        try (Connection connection = database.open();
                PreparedStatement query =
                        connection.prepareStatement(sql(columns(connection), "count(*)", ""))) {
            bind(query);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /// Publishes them.
    ///
    /// @param name says in every record which replay it comes from
    /// @param producer settings of kafka-clients' producer
    /// @return how many
    /// @throws IllegalStateException if an event is refused; those before it are published
    public long publish(String name, String topic, Map<String, Object> producer)
            throws SQLException, InterruptedException {
        long published = 0;
        try (Connection connection = database.open();
                Publisher publisher =
                        new Publisher(
                                topic, event -> Headers.replayed(topic, event, name), producer)) {
            long after = Long.MIN_VALUE;
            List<Numbered> page;
            do {
                page = page(connection, after);
                Outcome outcome = publisher.publish(page, () -> true);
                published += outcome.acknowledged().size();
                if (outcome.refused().isPresent()) {
                    throw new IllegalStateException(
                            "event %s was refused after %d events: %s"
                                    .formatted(
                                            outcome.refused().get().event().event().id(),
                                            published,
                                            outcome.refused().get().why().reason()));
                }
                after = page.isEmpty() ? after : page.getLast().event().ord();
            } while (page.size() == PAGE_ROWS);
        }
        return published;
    }

    private List<Numbered> page(Connection connection, long after) throws SQLException {
        Columns has = columns(connection);
        String columns =
                "e.ord, l.lane, e.{id}::text, e.{key}::text, e.{headers}::text, "
                        + (has.hasBinaryPayload()
                                ? "e.{payload}"
                                : "convert_to(e.{payload}::text, 'UTF8')");
        List<Numbered> page = new ArrayList<>();
        try (PreparedStatement query =
                connection.prepareStatement(
                        sql(has, columns, "AND e.ord > ? ORDER BY e.ord LIMIT " + PAGE_ROWS))) {
            bind(query);
            query.setLong(3, after);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    page.add(
                            new Numbered(
                                    new Event(
                                            row.getLong(1),
                                            row.getInt(2),
                                            row.getString(3),
                                            row.getString(4),
                                            HeadersJson.read(row.getString(5)),
                                            new Event.Payload(row.getBytes(6)),
                                            Event.UNKNOWN_AGE),
                                    0));
                }
            }
        }
        return page;
    }

    /// Compat mode needs no place for an event, and gives none to what is older than the scripts.
    private Columns columns(Connection connection) throws SQLException {
        Columns has = Columns.of(connection, table);
        if (!has.hasLogMode()) {
            throw new IllegalStateException(
                    "table %s has no column ord, or not the tables of log mode beside it, which say in which order to replay. Run the scripts of the outbox module, for events that are written from then on; or have relays in compat mode publish some again: UPDATE %1$s SET status = 'PENDING', next_retry_at = now(), updated_at = now() WHERE …"
                            .formatted(table.name()));
        }
        return has;
    }

    private String sql(Columns has, String columns, String end) {
        String condition =
                switch (selection) {
                    case Selection.ByKey key -> "e.{key}::text = ? AND l.lane = outbox_lane_of(?)";
                    case Selection.ByTime time -> "e.created_at >= ? AND e.created_at < ?";
                    case Selection.ByRange range -> "e.ord >= ? AND e.ord < ?";
                };
        String template =
                """
                SELECT {columns} FROM {table} e JOIN outbox_lane l ON l.outbox = '{table}' AND l.lane = outbox_lane_of(e.{key}::text)
                WHERE e.ord IS NOT NULL AND {condition} AND (pg_visible_in_snapshot(e.tx, l.seen) {byCompat}
                  OR (e.ord <= l.position AND pg_visible_in_snapshot(e.tx, l.bound)))
                  AND NOT EXISTS (SELECT FROM outbox_parked p WHERE p.outbox = l.outbox AND p.lane = l.lane
                    AND p.aggregate_id = coalesce(e.{key}::text, '') AND p.ord = e.ord)
                {compat} {end}
                """;
        return template.replace("{columns}", columns)
                .replace(
                        "{compat}",
                        has.hasStatus() ? "AND e.status NOT IN ('PENDING', 'SENDING')" : "")
                // Lanes see nothing while compat mode publishes.
                .replace("{byCompat}", has.hasStatus() ? "OR e.status = 'PUBLISHED'" : "")
                .replace("{condition}", condition)
                .replace("{end}", end)
                .replace("{table}", table.name())
                .replace("{id}", table.id())
                .replace("{key}", table.key())
                .replace("{headers}", table.headers())
                .replace("{payload}", table.payload());
    }

    private void bind(PreparedStatement query) throws SQLException {
        switch (selection) {
            case Selection.ByKey(String key) -> {
                query.setString(1, key);
                query.setString(2, key);
            }
            case Selection.ByTime time -> {
                query.setTimestamp(1, Timestamp.from(time.from()));
                query.setTimestamp(2, Timestamp.from(time.to()));
            }
            case Selection.ByRange range -> {
                query.setLong(1, range.from());
                query.setLong(2, range.to());
            }
        }
    }
}
