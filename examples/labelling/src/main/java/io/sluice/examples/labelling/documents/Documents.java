package io.sluice.examples.labelling.documents;

import io.sluice.examples.labelling.model.Labeller;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/// The rows of all documents. Writing the same twice changes nothing, since messages come at least once.
///
/// Thread-safe.
@Repository
public class Documents {
    /// A document as the page shows it.
    public record Row(String name, String status, int pages, int chunks, String outcome) {}

    private final JdbcClient database;

    public Documents(JdbcClient database) {
        this.database = database;
    }

    public boolean knows(String name) {
        return database.sql("SELECT count(*) FROM document WHERE name = ?")
                        .param(name)
                        .query(Integer.class)
                        .single()
                > 0;
    }

    /// After its message is safe; the worker may have been faster.
    public void queued(String name) {
        database.sql(
                        "INSERT INTO document (name, status) VALUES (?, 'QUEUED') ON CONFLICT (name) DO NOTHING")
                .param(name)
                .update();
    }

    @Transactional
    public void labelled(String name, int pages, int chunks, List<Labeller.Score> scores) {
        write(name, "LABELLED", pages, chunks, null);
        database.sql("DELETE FROM label WHERE document = ?").param(name).update();
        for (Labeller.Score score : scores) {
            database.sql("INSERT INTO label (document, label, score) VALUES (?, ?, ?)")
                    .params(name, score.label(), score.score())
                    .update();
        }
    }

    @Transactional
    public void failed(String name, String reason) {
        write(name, "FAILED", 0, 0, reason);
    }

    private void write(String name, String status, int pages, int chunks, @Nullable String reason) {
        database.sql(
                        """
                        INSERT INTO document (name, status, pages, chunks, reason, finished_at)
                        VALUES (:name, :status, :pages, :chunks, :reason, now())
                        ON CONFLICT (name) DO UPDATE
                        SET status = :status, pages = :pages, chunks = :chunks, reason = :reason, finished_at = now()
                        """)
                .param("name", name)
                .param("status", status)
                .param("pages", pages)
                .param("chunks", chunks)
                .param("reason", reason, Types.VARCHAR)
                .update();
    }

    public Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        database.sql("SELECT status, count(*) AS number FROM document GROUP BY status")
                .query(
                        row -> {
                            counts.put(row.getString("status"), row.getLong("number"));
                        });
        return counts;
    }

    /// The newest first.
    public List<Row> finished(int most) {
        return database.sql(
                        """
                        SELECT d.name, d.status, d.pages, d.chunks,
                               coalesce(d.reason, (SELECT string_agg(l.label || ' ' || round(l.score::numeric, 2), ', ' ORDER BY l.score DESC)
                                                   FROM label l WHERE l.document = d.name), '') AS outcome
                        FROM document d WHERE d.finished_at IS NOT NULL
                        ORDER BY d.finished_at DESC, d.name LIMIT ?
                        """)
                .param(most)
                .query(
                        (row, number) ->
                                new Row(
                                        row.getString("name"),
                                        row.getString("status"),
                                        row.getInt("pages"),
                                        row.getInt("chunks"),
                                        row.getString("outcome")))
                .list();
    }
}
