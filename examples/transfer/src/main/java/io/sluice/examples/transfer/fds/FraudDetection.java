package io.sluice.examples.transfer.fds;

import io.sluice.examples.transfer.Transfer;
import io.sluice.outbox.consuming.DuplicateFilter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/// Reads transfers from the topic and writes alerts. What relays repeat after a crash is dropped by the filter; what this consumer reads again
/// after its own is dropped by the alert's key.
///
/// Thread-safe: a thread of its own reads; others read the table.
@Component
public final class FraudDetection implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(FraudDetection.class);

    private final JdbcTemplate jdbc;
    private final JsonMapper json;
    private final String servers;
    private final String topic;
    private final Map<Integer, DuplicateFilter> filters = new HashMap<>();
    private final Rules rules = new Rules();
    private final AtomicLong checked = new AtomicLong();
    private volatile @Nullable Consumer<String, String> consumer;
    private @Nullable Thread thread;

    FraudDetection(
            JdbcTemplate jdbc,
            JsonMapper json,
            @Value("${spring.kafka.bootstrap-servers}") String servers,
            @Value("${app.outbox.relay.topic}") String topic) {
        this.jdbc = jdbc;
        this.json = json;
        this.servers = servers;
        this.topic = topic;
    }

    @Override
    public void start() {
        Consumer<String, String> opened =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                servers,
                                "group.id",
                                "fds",
                                "auto.offset.reset",
                                "earliest"),
                        new StringDeserializer(),
                        new StringDeserializer());
        opened.subscribe(List.of(topic));
        consumer = opened;
        thread = Thread.ofPlatform().name("fds").start(() -> read(opened));
    }

    private void read(Consumer<String, String> opened) {
        try (opened) {
            while (consumer != null) {
                for (ConsumerRecord<String, String> record : opened.poll(Duration.ofSeconds(1))) {
                    if (filters.computeIfAbsent(record.partition(), _ -> new DuplicateFilter())
                            .isNew(record)) {
                        check(json.readValue(record.value(), Transfer.class));
                    }
                }
            }
        } catch (WakeupException e) {
            LOG.debug("Closed", e);
        }
    }

    private void check(Transfer transfer) {
        for (String reason : rules.check(transfer)) {
            LOG.warn("Suspicious: {} {}", transfer.from(), reason);
            jdbc.update(
                    "INSERT INTO alert (transfer, account, reason) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    transfer.id(),
                    transfer.from(),
                    reason);
        }
        checked.incrementAndGet();
    }

    /// Transfers that were looked at since the start.
    public long checked() {
        return checked.get();
    }

    public List<Alert> alerts() {
        return jdbc.query(
                "SELECT transfer, account, reason FROM alert ORDER BY transfer DESC LIMIT 100",
                (row, _) -> new Alert(row.getLong(1), row.getString(2), row.getString(3)));
    }

    @Override
    public void stop() {
        Consumer<String, String> opened = consumer;
        consumer = null;
        if (opened != null && thread != null) {
            opened.wakeup();
            try {
                thread.join(Duration.ofSeconds(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return consumer != null;
    }
}
