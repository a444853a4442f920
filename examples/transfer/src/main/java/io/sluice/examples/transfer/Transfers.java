package io.sluice.examples.transfer;

import io.sluice.outbox.OutboxEvent;
import io.sluice.outbox.spring.TransactionalOutbox;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/// Moves money between accounts. The event is part of the transaction: it is published exactly if the money has moved.
///
/// Thread-safe.
@Service
public class Transfers {
    private final JdbcTemplate jdbc;
    private final TransactionalOutbox outbox;
    private final JsonMapper json;

    Transfers(JdbcTemplate jdbc, TransactionalOutbox outbox, JsonMapper json) {
        this.jdbc = jdbc;
        this.outbox = outbox;
        this.json = json;
    }

    /// @throws IllegalArgumentException when there is no such account, or not enough on it
    @Transactional
    public Transfer transfer(String from, String to, long amount) {
        if (amount <= 0 || from.equals(to)) {
            throw new IllegalArgumentException("nothing to transfer from " + from + " to " + to);
        }
        lock(from, to);
        move(from, -amount);
        move(to, amount);
        Instant at = Instant.now();
        Long id =
                jdbc.queryForObject(
                        "INSERT INTO transfer (from_account, to_account, amount) VALUES (?, ?, ?) RETURNING id",
                        Long.class,
                        from,
                        to,
                        amount);
        Transfer transfer = new Transfer(id == null ? 0 : id, from, to, amount, at);
        // The account is locked by now, so its events are in the order of its transfers.
        outbox.append(OutboxEvent.of(from, "TransferCompleted", json.writeValueAsString(transfer)));
        return transfer;
    }

    /// In the order of their names, so that two transfers between the same accounts do not wait for each other for ever.
    private void lock(String from, String to) {
        int found =
                jdbc.queryForList(
                                "SELECT id FROM account WHERE id IN (?, ?) ORDER BY id FOR UPDATE",
                                from,
                                to)
                        .size();
        if (found < 2) {
            throw new IllegalArgumentException("no account " + from + " or " + to);
        }
    }

    private void move(String account, long amount) {
        int moved =
                jdbc.update(
                        "UPDATE account SET balance = balance + ? WHERE id = ? AND balance + ? >= 0",
                        amount,
                        account,
                        amount);
        if (moved == 0) {
            throw new IllegalArgumentException("account " + account + " has too little");
        }
    }

    public Map<String, Long> balances() {
        Map<String, Long> balances = new TreeMap<>();
        jdbc.query(
                "SELECT id, balance FROM account",
                row -> {
                    balances.put(row.getString(1), row.getLong(2));
                });
        return balances;
    }

    public long count() {
        Long count = jdbc.queryForObject("SELECT count(*) FROM transfer", Long.class);
        return count == null ? 0 : count;
    }
}
