package io.sluice.peers.debezium;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/// Debezium's embedded engine on an event table, publishing with kafka-clients: a whole batch is sent, awaited, and then marked.
///
/// Arguments: host, port, schema, bootstrap servers, topic, poll interval in ms, offset file. Talks in lines, as the other hosts do.
public final class DebeziumHost {
    private DebeziumHost() {}

    public static void main(String[] arguments) throws Exception {
        AtomicLong published = new AtomicLong();
        KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", arguments[3], "linger.ms", 0, "batch.size", 262_144, "acks", "all"),
                        new StringSerializer(),
                        new StringSerializer());
        String topic = arguments[4];
        DebeziumEngine<RecordChangeEvent<SourceRecord>> engine =
                DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                        .using(settings(arguments))
                        .using((success, message, error) -> {
                            if (!success) {
                                System.err.println("Debezium ended: " + message + " " + error);
                            }
                        })
                        .using(
                                new DebeziumEngine.ConnectorCallback() {
                                    @Override
                                    public void taskStarted() {
                                        System.out.println("ready");
                                    }
                                })
                        .notifying(
                                (List<RecordChangeEvent<SourceRecord>> records,
                                        DebeziumEngine.RecordCommitter<RecordChangeEvent<SourceRecord>> committer) ->
                                        published.addAndGet(publish(producer, topic, records, committer)))
                        .build();
        ExecutorService executor = Executors.newSingleThreadExecutor();
        executor.execute(engine);
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null && !line.equals("quit"); line = lines.readLine()) {
            if (line.equals("stats")) {
                System.out.println("stats 0 0 " + published.get());
            }
        }
        engine.close();
        System.exit(0);
    }

    private static int publish(
            KafkaProducer<String, String> producer,
            String topic,
            List<RecordChangeEvent<SourceRecord>> records,
            DebeziumEngine.RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        List<Future<RecordMetadata>> answers =
                records.stream()
                        .map(record -> record.record())
                        .filter(record -> record.value() instanceof Struct value && value.schema().field("after") != null)
                        .map(record -> ((Struct) record.value()).getStruct("after"))
                        .map(row -> producer.send(
                                new ProducerRecord<>(topic, row.getString("aggregate_id"), row.getString("payload"))))
                        .toList();
        producer.flush();
        for (Future<RecordMetadata> answer : answers) {
            try {
                answer.get();
            } catch (java.util.concurrent.ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
        for (RecordChangeEvent<SourceRecord> record : records) {
            committer.markProcessed(record);
        }
        committer.markBatchFinished();
        return answers.size();
    }

    private static Properties settings(String[] arguments) throws IOException {
        Properties settings = new Properties();
        settings.setProperty("name", "outbox");
        settings.setProperty("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        settings.setProperty("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
        settings.setProperty("offset.storage.file.filename", arguments[6]);
        settings.setProperty("offset.flush.interval.ms", "1000");
        settings.setProperty("topic.prefix", "bench");
        settings.setProperty("database.hostname", arguments[0]);
        settings.setProperty("database.port", arguments[1]);
        settings.setProperty("database.user", "postgres");
        settings.setProperty("database.password", "postgres");
        settings.setProperty("database.dbname", "postgres");
        settings.setProperty("table.include.list", arguments[2] + ".transfer_events");
        settings.setProperty("plugin.name", "pgoutput");
        settings.setProperty("slot.name", "debezium_" + arguments[2]);
        settings.setProperty("publication.name", "debezium_" + arguments[2]);
        settings.setProperty("publication.autocreate.mode", "filtered");
        settings.setProperty("snapshot.mode", "no_data");
        settings.setProperty("poll.interval.ms", arguments[5]);
        settings.setProperty("max.batch.size", "8192");
        settings.setProperty("max.queue.size", "32768");
        return settings;
    }
}
