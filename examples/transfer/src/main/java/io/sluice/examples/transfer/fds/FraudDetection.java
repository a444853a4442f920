package io.sluice.examples.transfer.fds;

import io.sluice.examples.transfer.Transfer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
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
/// after a failure, its own or the database's, is dropped by the alert's key.
///
/// An offset is committed when all before it is in the database, with the state of the filter ([Positions]). Where anything fails nothing is committed, and reading
/// begins again there. A value that is no transfer would fail for ever: it is kept aside, in the table `unreadable`.
///
/// Thread-safe: a thread of its own reads; others read the tables.
@Component
public final class FraudDetection implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(FraudDetection.class);
    private static final Duration BEFORE_IT_BEGINS_AGAIN = Duration.ofSeconds(1);

    private final JdbcTemplate jdbc;
    private final JsonMapper json;
    private final String servers;
    private final String topic;
    private final AtomicLong checked = new AtomicLong();
    private volatile CountDownLatch stopping = new CountDownLatch(1);
    private volatile @Nullable Consumer<String, String> consumer;
    private volatile @Nullable Thread thread;

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
        stopping = new CountDownLatch(1);
        thread = Thread.ofPlatform().name("fds").start(this::run);
    }

    private void run() {
        try {
            while (!isStopping(Duration.ZERO)) {
                try (Consumer<String, String> opened = open()) {
                    consumer = opened;
                    read(opened);
                } catch (WakeupException e) {
                    LOG.debug("Closed", e);
                } catch (RuntimeException e) { // The database, or the broker.
                    LOG.warn("Reading begins again at what was committed: {}", e.getMessage());
                    isStopping(BEFORE_IT_BEGINS_AGAIN);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isStopping(Duration longest) throws InterruptedException {
        return stopping.await(longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    private Consumer<String, String> open() {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        servers,
                        "group.id",
                        "fds",
                        "auto.offset.reset",
                        "earliest",
                        "enable.auto.commit", // It commits what was read, checked or not.
                        "false"),
                new StringDeserializer(),
                new StringDeserializer());
    }

    private void read(Consumer<String, String> opened) throws InterruptedException {
        Positions positions = new Positions(opened);
        opened.subscribe(List.of(topic), positions);
        while (!isStopping(Duration.ZERO)) {
            ConsumerRecords<String, String> records = opened.poll(Duration.ofSeconds(1));
            for (ConsumerRecord<String, String> record : records) {
                Positions.Position position = positions.of(record);
                if (position.filter().isNew(record)) {
                    check(record, position.rules());
                }
            }
            if (!records.isEmpty()) {
                commit(opened, positions.behind(records));
            }
        }
    }

    private static void commit(
            Consumer<String, String> opened, Map<TopicPartition, OffsetAndMetadata> done) {
        try {
            opened.commitSync(done);
        } catch (CommitFailedException | RebalanceInProgressException e) {
            LOG.debug("Partitions change hands; whoever has them reads some of it again", e);
        }
    }

    private void check(ConsumerRecord<String, String> record, Rules rules) {
        Transfer transfer;
        List<String> reasons;
        try {
            transfer = read(record.value());
            reasons = rules.check(transfer);
        } catch (RuntimeException e) { // Whatever somebody has sent.
            keepAside(record, e);
            return;
        }
        for (String reason : reasons) {
            LOG.warn("Suspicious: {} {}", transfer.from(), reason);
            jdbc.update(
                    "INSERT INTO alert (transfer, account, reason) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    transfer.id(),
                    transfer.from(),
                    reason);
        }
        checked.incrementAndGet();
    }

    /// An alert about it has to find room in the database.
    private Transfer read(String value) {
        Transfer transfer = json.readValue(value, Transfer.class);
        if (transfer.from() == null || !transfer.from().equals(storable(transfer.from()))) {
            throw new IllegalArgumentException("from=" + transfer.from() + ": it is no account");
        }
        return transfer;
    }

    private void keepAside(ConsumerRecord<String, String> record, RuntimeException why) {
        LOG.warn(
                "No transfer: partition {} offset {}: {}",
                record.partition(),
                record.offset(),
                why.toString());
        jdbc.update(
                "INSERT INTO unreadable (partition, position, value, reason) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                record.partition(),
                record.offset(),
                storable(record.value()),
                storable(why.toString()));
    }

    /// The database has no text with such a character.
    private static @Nullable String storable(@Nullable String text) {
        return text == null ? null : text.replace('\0', '\uFFFD');
    }

    /// Transfers that were looked at since the start; again, where reading had to begin again.
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
        stopping.countDown();
        Consumer<String, String> opened = consumer;
        Thread running = thread;
        if (opened != null) {
            opened.wakeup();
        }
        if (running != null) {
            try {
                running.join(Duration.ofSeconds(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isRunning() {
        Thread running = thread;
        return running != null && running.isAlive();
    }
}
